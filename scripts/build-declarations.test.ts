import { describe, expect, test } from 'vitest'
import { entryDeclarations, publicDeclarations } from './build-declarations.ts'

const published = (files: Record<string, string>, ...entries: string[]): Record<string, string> =>
  Object.fromEntries(publicDeclarations(new Map(Object.entries(files)), entries))
const lines = (...all: string[]): string => `${[...all, 'export {};'].join('\n')}\n`

describe('what a user can reach', () => {
  test('is kept with its comment, through files that only pass it on; the rest is not published', () => {
    const files = {
      'index.d.ts': `export { type Public, make } from './passed.ts';\n`,
      'passed.d.ts': `export * from './inner/made.ts';\nexport interface Unseen { a: string }\n`,
      'inner/made.d.ts': `import type { Socket } from 'node:net';
import type { Used } from '../used.ts';
declare const secret: (socket: Socket) => void;
/** Something. */
export interface Public { used: Used; secret: string }
export declare const make: () => Public;
export { secret };
`,
      'used.d.ts': `/** Used. */\nexport type Used = import('./far.ts').Far<string>;\nexport type Other = string;\n`,
      'far.d.ts': 'export interface Far<T> { readonly of: T }\n',
      'unused.d.ts': 'export declare const nothing = 1;\n',
    }
    expect(published(files, 'index.d.ts')).toEqual({
      'index.d.ts': lines(`export type { Public } from './inner/made.js';`, `export { make } from './inner/made.js';`),
      'inner/made.d.ts': lines(
        `import type { Used } from '../used.js';`,
        '/** Something. */',
        'export interface Public { used: Used; secret: string }',
        'export declare const make: () => Public;',
      ),
      'used.d.ts': lines('/** Used. */', `export type Used = import('./far.js').Far<string>;`),
      'far.d.ts': lines('export interface Far<T> { readonly of: T }'),
    })
  })

  test('a parameter, a key or a label is no use of a name; a base, a constraint and a query are', () => {
    const files = {
      'index.d.ts': `import { Base, Bound, key, parameter, table } from './names.ts';
export declare class Made<T extends Bound> extends Base<T> {
    key(parameter: string, { table }: { table: T }): [key: number];
}
export type Keys = keyof typeof table;
`,
      'names.d.ts': `export declare class Base<T> { t: T }
export type Bound = string;
export type key = 1;
export type parameter = 2;
export declare const table: { a: 1 };
`,
    }
    expect(published(files, 'index.d.ts')['names.d.ts']).toBe(
      lines(
        'export declare class Base<T> { t: T }',
        'export type Bound = string;',
        'export declare const table: { a: 1 };',
      ),
    )
  })

  test('a platform that the project may lack is asked for in a way that may fail', () => {
    const text = `import { DurableObject } from 'cloudflare:workers';\nexport declare class Session extends DurableObject {}\n`
    expect(published({ 'index.d.ts': text }, 'index.d.ts')['index.d.ts']).toContain(
      "// @ts-ignore: the platform's own types, where the project has them.\nimport { DurableObject } from",
    )
  })

  test('entries are found under all conditions', () => {
    const exports = {
      '.': { node: { types: './dist/a.d.ts' }, types: './dist/b.d.ts' },
      './c': { types: './dist/c.d.ts' },
    }
    expect(entryDeclarations({ exports })).toEqual(['a.d.ts', 'b.d.ts', 'c.d.ts'])
  })
})

describe('a schema is the type of its values', () => {
  const plain = (type: string): string => {
    const text = `import * as v from 'valibot';\nexport declare const schema: ${type};\nexport type Value = v.InferOutput<typeof schema>;\n`
    return published({ 'index.d.ts': text }, 'index.d.ts')['index.d.ts'] ?? ''
  }

  test.each([
    ['v.StringSchema<undefined>', 'string'],
    ['v.SchemaWithPipe<readonly [v.NumberSchema<undefined>, v.IntegerAction<number, undefined>]>', 'number'],
    ['v.SchemaWithPipe<readonly [v.StringSchema<undefined>, v.TransformAction<string, Date>]>', 'Date'],
    ['v.PicklistSchema<readonly ["a", "b"], undefined>', "'a' | 'b'"],
    ['v.PicklistSchema<("a" | "b")[], undefined>', '(("a" | "b")[])[number]'],
    [
      'v.ArraySchema<v.UnionSchema<[v.StringSchema<undefined>, v.NullSchema<undefined>], undefined>, undefined>',
      'Array<string | null>',
    ],
    ['v.GenericSchema<Date>', 'Date'],
    ['v.GenericSchema<string, Date>', 'Date'],
    ['v.NullishSchema<v.CustomSchema<Date, undefined>, undefined>', 'Date | null | undefined'],
    ['v.RecordSchema<v.StringSchema<undefined>, v.NumberSchema<undefined>, undefined>', '{ [key in string]: number }'],
    [
      'v.ObjectSchema<{ readonly a: v.OptionalSchema<v.BooleanSchema<undefined>, undefined> }, undefined>',
      '{\n    a?: boolean | undefined;\n}',
    ],
    [
      'v.ObjectSchema<{ readonly a: v.OptionalSchema<v.StringSchema<undefined>, ""> }, undefined>',
      '{\n    a: string;\n}',
    ],
    [
      'v.LooseObjectSchema<{\n    /** Why. */\n    readonly a: v.StringSchema<undefined>;\n}, undefined>',
      '{\n    /** Why. */\n    a: string;\n    [key: string]: unknown;\n}',
    ],
  ])('%s', (schema, type) => {
    expect(plain(schema)).toBe(lines(`export type schema = ${type};`, 'export type Value = schema;'))
  })

  test('the input type may lack a field that has a default; the output type has it', () => {
    const text = `import * as v from 'valibot';
declare const schema: v.ObjectSchema<{ readonly a: v.OptionalSchema<v.StringSchema<undefined>, "none">; }, undefined>;
export type In = v.InferInput<typeof schema>;
export type Out = v.InferOutput<typeof schema>;
`
    expect(published({ 'index.d.ts': text }, 'index.d.ts')['index.d.ts']).toBe(
      lines(
        'type schema = {\n    a: string;\n};',
        'export type In = {\n    a?: string | undefined;\n};',
        'export type Out = schema;',
      ),
    )
  })

  test('one that is unknown stops the build', () => {
    expect(() => plain('v.SetSchema<v.StringSchema<undefined>, undefined>')).toThrow(
      'no plain type is known for SetSchema',
    )
  })

  test('a table of schemas, in another file, by its keys', () => {
    const files = {
      'index.d.ts': `import * as v from 'valibot';\nimport { table } from './table.ts';
export type Of<T extends keyof typeof table> = v.InferOutput<(typeof table)[T]>;\n`,
      'table.d.ts': `import * as v from 'valibot';\nexport declare const table: { a: v.StringSchema<undefined>; b: v.NumberSchema<undefined> };\n`,
    }
    expect(published(files, 'index.d.ts')).toEqual({
      'index.d.ts': lines(`import { table } from './table.js';`, 'export type Of<T extends keyof table> = table[T];'),
      'table.d.ts': lines('export type table = {', '    a: string;', '    b: number;', '};'),
    })
  })
})

describe('an answer is an interface with the meaning of each field as its comment', () => {
  const field = (name: string, ...of: string[]): string => `import("./fields.ts").${name}<${of.join(', ')}>`
  const text = (meaning: string): string => field('ValueField', 'string', `"${meaning}"`)
  const row = field('AnswerSchema', '"Row"', '"A row."', `{ id: ${text('The id.')}; }`)
  const declared = (name: string, type: string): string =>
    `export declare const schema${name}: ${type};\nexport type ${name} = AnswerOf<typeof schema${name}>;\n`
  const pageOf = (type: string): string => {
    const imports = "import { type AnswerOf } from './fields.ts';\n"
    const files = {
      'index.d.ts': "export type { Page } from './page.ts';\n",
      'page.d.ts': imports + declared('Page', type),
      'row.d.ts': imports + declared('Row', row),
    }
    return published(files, 'index.d.ts')['page.d.ts'] ?? ''
  }
  const page = (...members: string[]): string[] => ['/** A page. */', 'export interface Page {', ...members, '}']
  const entries = (type: string): string => field('AnswerSchema', '"Page"', '"A page."', `{ readonly a: ${type}; }`)

  test.each([
    ['text', text('It&apos;s a.'), '/** It&apos;s a. */\n    readonly a: string;'],
    ['a choice', field('ChoiceField', 'readonly ["x", "y"]', '"A."'), "/** A. */\n    readonly a: 'x' | 'y';"],
    ['an optional field', field('OptionalField', text('A.')), '/** A. */\n    readonly a?: string;'],
    [
      'an object',
      field('ObjectField', `{ b: ${field('ValueField', 'true', '"B."')}; }`, '"A."'),
      '/** A. */\n    readonly a: {\n        /** B. */\n        readonly b: true;\n    };',
    ],
    [
      'a dictionary',
      field('DictionaryField', 'import("valibot").NumberSchema<undefined>', '"A."'),
      '/** A. */\n    readonly a: { readonly [name: string]: number };',
    ],
    [
      'a list',
      field('ListField', 'import("valibot").PicklistSchema<["x", "y"], undefined>', '"A."'),
      "/** A. */\n    readonly a: readonly ('x' | 'y')[];",
    ],
  ])('%s', (_name, type, member) => expect(pageOf(entries(type))).toBe(lines(...page(`    ${member}`))))

  test.each([
    ['a list of them', field('ListField', row, '"A."'), 'readonly Row[]'],
    ['one or null', field('NullableField', field('ReferenceField', row, '"A."')), 'Row | null'],
    ['one', field('ReferenceField', row, '"A."'), 'Row'],
  ])('another answer is there by its name: %s', (_name, type, plain) =>
    expect(pageOf(entries(type))).toBe(
      lines("import type { Row } from './row.js';", ...page('    /** A. */', `    readonly a: ${plain};`)),
    ),
  )

  test('a type of the kernel keeps its name, and the library may have a name in the file', () => {
    const health = 'f.ReferenceField<f.KernelSchema<import("./kernel.ts").Health>, "A.">'
    const text = declared('Page', `f.AnswerSchema<"Page", "A page.", { readonly a: ${health}; }>`)
    const files = {
      'index.d.ts': `import * as f from './fields.ts';\n${text.replace('AnswerOf<', 'f.AnswerOf<')}`,
      'kernel.d.ts': 'export interface Health { score: number }\n',
    }
    expect(published(files, 'index.d.ts')['index.d.ts']).toContain("    readonly a: import('./kernel.js').Health;")
  })

  test('an answer without an exported type stands in its place', () => {
    const inner = row.replace('"Row"', '"Other"')
    expect(pageOf(entries(field('ReferenceField', inner, '"A."')))).toContain(
      'readonly a: {\n        /** The id. */\n        readonly id: string;\n    };',
    )
  })

  test('one that extends another, and one with further fields', () => {
    const own = `{ b: ${text('B.')}; }`
    expect(pageOf(field('ExtendedSchema', '"Page"', '"A page."', own, `[${row}]`))).toBe(
      lines(
        "import type { Row } from './row.js';",
        '/** A page. */',
        'export interface Page extends Row {',
        '    /** B. */',
        '    readonly b: string;',
        '}',
      ),
    )
    expect(pageOf(field('OpenSchema', '"Page"', '"A page."', own, 'number'))).toBe(
      lines(...page('    /** B. */', '    readonly b: string;', '    readonly [name: string]: number;')),
    )
  })
})
