// The types of components find what a person would type wrongly: each mistake is planted beside a right line, and only
// the mistakes are reported.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';

const HEAD = `
import { h } from '../../ui/lib/parts/component.js';
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
  'a renamed field of a record': 'export const one = () => split.video.titel;',
  'a wrong prop of a component': "export const one = () => h(Card, { name: 'a', wide: 'yes' });",
  'a missing prop of a component': 'export const one = () => h(Card, { wide: true });',
  'a wrong attribute of an element': "export const one = () => h('button', { disabled: 'no' });",
  'an attribute that is spelled wrongly': "export const one = () => h('div', { 'aria-lable': 'a' });",
  'an element that does not exist': "export const one = () => h('dvi', {});",
  'a listener that is not a function': "export const one = () => h('button', { onClick: 3 });",
};

/**
 * @param {string} code
 * @returns {string[]} what TypeScript says about it
 */
function said(code) {
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
  return ts
    .getPreEmitDiagnostics(program, program.getSourceFile(file))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

test('right code has no mistakes', () => assert.deepEqual(said(HEAD), []));

for (const [name, line] of Object.entries(MISTAKES))
  test(name, () => assert.equal(said(HEAD + line).length, 1));
