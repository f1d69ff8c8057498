import { expect, test } from 'vitest'
import { apiPages, docText, undocumented } from './api-report.ts'

test('a page has values before types, each with its comment; what a class keeps to itself is left out', () => {
  const published = new Map([
    ['index.d.ts', `export { Made, type Options } from './made.js';\nexport {};\n`],
    [
      'index-node.d.ts',
      `export { Made, type Options } from './made.js';\nexport declare const start: () => void;\nexport {};\n`,
    ],
    [
      'made.d.ts',
      `/** Made here. */\nexport declare class Made {\n    #private;\n    private constructor();\n    /** Its name. */\n    readonly name: string;\n}\n/**\n * Chosen\n * by you.\n */\nexport interface Options { a: 1 }\nexport {};\n`,
    ],
  ])
  const exports = {
    '.': { types: './dist/index.d.ts', node: { types: './dist/index-node.d.ts' } },
    './made': { types: './dist/made.d.ts' },
  }
  const pages = apiPages(published, { name: 'pkg', exports })
  expect([...pages.keys()]).toEqual(['pkg.md', 'pkg-made.md'])
  const fence = '```'
  expect(pages.get('pkg.md')).toBe(`# \`pkg\`

Every export of \`pkg\`, written by \`npm run docs\` from the published types.

## Values

### \`Made\`

Made here.

${fence}ts
class Made {
  /** Its name. */
  readonly name: string;
}
${fence}

### \`start\`

On Node only.

${fence}ts
const start: () => void;
${fence}

## Types

### \`Options\`

Chosen
by you.

${fence}ts
interface Options { a: 1 }
${fence}
`)
})

test('exports, members and rows of tables without a doc comment are named', () => {
  const text = `/** Here. */
export declare class Made {
    #private;
    constructor(a: string);
    bare: string;
    /** Twice. */
    over(a: string): void;
    over(a: number): void;
    static [Symbol.iterator](): void;
}
export interface Options {
    /** Said. */
    a: 1;
    b: 2;
}
/** A table. */
export type Table = { c: 1 };
export declare const f: () => {
    g: 1;
};
export {};
`
  expect(undocumented(new Map([['index.d.ts', text]]), ['index.d.ts'])).toEqual([
    'Made.bare',
    'Options',
    'Options.b',
    'Table.c',
    'f',
    'f.g',
  ])
})

test.each([
  ['/** One line. */', 'One line.'],
  ['/**\n   * Two\n   * lines.\n   */', 'Two\nlines.'],
  ['', ''],
])('the words of %j', (comment, words) => expect(docText(comment)).toBe(words))
