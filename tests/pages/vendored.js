// Preact and its signals as browsers get them: the packages' own modules, with the addresses of files instead of the
// names of packages, because the pages have no build step and no import map. `node tests/pages/vendored.js` writes them
// to ui/lib/vendor after a change of version in package.json; vendored.test.js compares them.
import { readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
export const FOLDER = new URL('ui/lib/vendor/', root);

/** @type {Object<string, [name: string, module: string]>} file in the folder: package and module of the package */
const MODULES = {
  'preact.js': ['preact', 'dist/preact.mjs'],
  'hooks.js': ['preact', 'hooks/dist/hooks.mjs'],
  'signals.js': ['@preact/signals', 'dist/signals.mjs'],
  'signals_core.js': ['@preact/signals-core', 'dist/signals-core.mjs'],
};
/** @type {Object<string, string>} */
const FILE_OF = {
  preact: './preact.js',
  'preact/hooks': './hooks.js',
  '@preact/signals-core': './signals_core.js',
};

/** @param {string} path below the packages */
const packaged = (path) => readFileSync(new URL(`node_modules/${path}`, root), 'utf8');

/** @returns {Map<string, string>} the text of each file of the folder that comes from a package */
export function vendored() {
  const found = new Map();
  const packages = new Set();
  for (const [file, [name, module]] of Object.entries(MODULES)) {
    const { version, license } = JSON.parse(packaged(`${name}/package.json`));
    packages.add(name);
    const code = packaged(`${name}/${module}`)
      .replace(
        /(import|export)(\{[^}]*\})from"([^"]+)"/g,
        (_, word, names, from) => `\n${word} ${names} from '${FILE_OF[from]}'`,
      )
      .replace(/\/\/# sourceMappingURL=.*\s*$/, '')
      .trim();
    found.set(
      file,
      `// ${name} ${version}, ${license}: see LICENSE.txt. Written by tests/pages/vendored.js.\n${code}\n`,
    );
  }
  const licences = [...packages].map((name) => `${name}\n\n${packaged(`${name}/LICENSE`).trim()}\n`);
  found.set('LICENSE.txt', licences.join('\n\n'));
  return found;
}

if (process.argv[1] === import.meta.filename)
  for (const [file, text] of vendored()) writeFileSync(new URL(file, FOLDER), text);
