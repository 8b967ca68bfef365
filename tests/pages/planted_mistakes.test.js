// The types of components find what a person would type wrongly: each mistake is planted beside a right line, and only
// the mistakes are reported.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';

const HEAD = `
import { h } from '../../ui/lib/components/component.js';
/** @param {{name: string, wide?: boolean}} props */
const Card = ({ name, wide }) => h('p', { class: wide ? 'wide' : '', 'data-name': name }, name);
/** @type {import('../../ui/lib/wire.d.ts').components['schemas']['SplitPage']} */
const split = JSON.parse('{}');
/** @returns {Promise<void>} */
const save = async () => undefined;
export const right = () => h('section', { 'aria-label': 'a' }, h(Card, { name: split.video.title, key: 1 }), 'words', null);
`;
/** @type {Object<string, string>} */
const MISTAKES = {
  'a renamed field of a record': 'split.video.titel',
  'a wrong prop of a component': "h(Card, { name: 'a', wide: 'yes' })",
  'a missing prop of a component': 'h(Card, { wide: true })',
  'a wrong attribute of an element': "h('button', { disabled: 'no' })",
  'an attribute that is spelled wrongly': "h('div', { 'aria-lable': 'a' })",
  'an element that does not exist': "h('dvi', {})",
  'a listener that is not a function': "h('button', { onClick: 3 })",
};

/**
 * @param {string} code
 * @returns {number[]} the lines that TypeScript refuses, from 1
 */
function refused(code) {
  const read = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, process.cwd());
  const file = `${process.cwd()}/tests/pages/planted.js`;
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? code : readFile(name));
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, code, rest[0], true) : getSourceFile.call(host, name, ...rest);
  const program = ts.createProgram([file], options, host);
  const source = program.getSourceFile(file);
  return ts
    .getPreEmitDiagnostics(program, source)
    .map(({ start }) => source.getLineAndCharacterOfPosition(start).line + 1);
}

const lines = Object.values(MISTAKES).map((code, n) => `export const mistake${n} = () => ${code};`);
const found = refused(HEAD + lines.join('\n'));
const first = HEAD.split('\n').length;

test('right code is not refused', () => assert.ok(found.every((line) => line >= first)));

Object.keys(MISTAKES).forEach((name, n) => {
  test(name, () => assert.equal(found.filter((line) => line === first + n).length, 1));
});
