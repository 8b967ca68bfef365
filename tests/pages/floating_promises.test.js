// Every promise of the scripts is awaited, returned, kept, or has its errors seen to: what is forgotten is named by its
// line. TypeScript's own types are asked, so it is found through generics and optional calls too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';

/** Whether a value of this type can be awaited, or may be one that can. */
const isPromise = (type) =>
  type.isUnion()
    ? type.types.some(isPromise)
    : Boolean(type.getProperty('then') && type.getProperty('catch'));

/** `.catch(...)`, or `.then(done, failed)`. */
function isSeenTo(call) {
  const name = ts.isCallExpression(call) && call.expression.name?.text;
  if (name === 'finally') return isSeenTo(call.expression.expression);
  return (name === 'catch' && call.arguments.length > 0) || (name === 'then' && call.arguments.length > 1);
}

/** What a statement does, without brackets and casts; both sides of `a && b` and `a ? b : c`. */
function values(node) {
  if (ts.isParenthesizedExpression(node)) return values(node.expression);
  if (ts.isConditionalExpression(node)) return [...values(node.whenTrue), ...values(node.whenFalse)];
  if (ts.isBinaryExpression(node) && ['&&', '||', '??'].includes(node.operatorToken.getText()))
    return values(node.right);
  return [node];
}

/** `file:line: text` of each promise that nobody looks at. */
function forgotten(program) {
  const checker = program.getTypeChecker();
  const found = [];
  const look = (source) => (node) => {
    if (ts.isExpressionStatement(node) && !ts.isVoidExpression(node.expression))
      for (const value of values(node.expression)) {
        const assigned = ts.isBinaryExpression(value);
        if (assigned || isSeenTo(value) || !isPromise(checker.getTypeAtLocation(value))) continue;
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        found.push(`${source.fileName}:${line + 1}: ${node.getText().split('\n')[0]}`);
      }
    ts.forEachChild(node, look(source));
  };
  const own = program.getSourceFiles().filter(({ fileName }) => fileName.endsWith('.js'));
  for (const source of own) look(source)(source);
  return found;
}

function scripts() {
  const read = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(read.config, ts.sys, process.cwd());
  return ts.createProgram(fileNames, options);
}

test('no promise is forgotten', () => {
  assert.deepEqual(forgotten(scripts()), []);
});

test('one that is forgotten is found, through an optional call of a generic class too', () => {
  const text = `/** @template {{save: () => Promise<void>}} Panel */
export class Page {
  /** @type {Panel | undefined} */ panel;
  async go() { this.panel?.save(); await this.panel?.save(); this.panel?.save().catch(() => {}); }
}`;
  const host = ts.createCompilerHost({});
  const read = host.getSourceFile;
  host.getSourceFile = (name, ...more) =>
    name === 'planted.js'
      ? ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
      : read(name, ...more);
  const options = { allowJs: true, checkJs: true, noEmit: true, target: ts.ScriptTarget.ES2022 };
  assert.deepEqual(forgotten(ts.createProgram(['planted.js'], options, host)), [
    'planted.js:4: this.panel?.save();',
  ]);
});
