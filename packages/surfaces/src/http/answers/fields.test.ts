// The type and the JSON Schema that follow from the fields of an answer.

import type { Json } from '@bridle/events/json'
import {
  type AnswerOf,
  always,
  answer,
  count,
  dictionary,
  extendedAnswer,
  flag,
  list,
  nullable,
  nullableText,
  object,
  oneOf,
  openAnswer,
  optional,
  reference,
  text,
} from '@bridle/wire/http/wire/fields'
import * as v from 'valibot'
import { expect, expectTypeOf, test } from 'vitest'
import { componentSchemas } from '../openapi/json-schemas.ts'

const rowSchema = answer('Row', 'A row.', { id: text('The id.'), cut: optional(always(true, 'The row is cut.')) })
const pageSchema = extendedAnswer('Page', 'A page.', [rowSchema], {
  id: count('The number.'),
  kind: oneOf(['short', 'long'], 'The kind.'),
  rows: list(rowSchema, 'The rows.'),
  first: reference(rowSchema, 'The first row.'),
  last: nullable(reference(rowSchema, 'The last row; null = none.')),
  next: optional(nullableText('The cursor.')),
  totals: dictionary(v.number(), 'The totals.'),
  place: object({ isKnown: flag('Somebody knows it.') }, 'The place.'),
})
const noticeSchema = openAnswer('Notice', 'A notice.', { id: text('The id.') })

interface Row {
  readonly id: string
  readonly cut?: true
}
interface Page {
  readonly cut?: true
  readonly id: number
  readonly kind: 'short' | 'long'
  readonly rows: readonly Row[]
  readonly first: Row
  readonly last: Row | null
  readonly next?: string | null
  readonly totals: { readonly [name: string]: number }
  readonly place: { readonly isKnown: boolean }
}

test('the type has each field, and no other way to write one', () => {
  expectTypeOf<AnswerOf<typeof rowSchema>>().toEqualTypeOf<Row>()
  expectTypeOf<AnswerOf<typeof pageSchema>>().toEqualTypeOf<Page>()
  expectTypeOf<AnswerOf<typeof noticeSchema>['id']>().toEqualTypeOf<string>()
  expectTypeOf<AnswerOf<typeof noticeSchema>['other']>().toEqualTypeOf<Json>()
})

test('the JSON Schema has each meaning, beside the reference where there is one', () => {
  const row = { $ref: '#/components/schemas/Row' }
  const { Page: schema, Row: component, Notice: notice } = componentSchemas([pageSchema, noticeSchema])
  expect(component).toEqual({
    type: 'object',
    description: 'A row.',
    properties: {
      id: { type: 'string', description: 'The id.' },
      cut: { const: true, description: 'The row is cut.' },
    },
    required: ['id'],
  })
  expect(schema).toMatchObject({
    description: 'A page.',
    properties: {
      id: { type: 'integer', minimum: 0, description: 'The number.' },
      kind: { enum: ['short', 'long'], description: 'The kind.' },
      rows: { type: 'array', items: row, description: 'The rows.' },
      first: { ...row, description: 'The first row.' },
      last: { anyOf: [row, { type: 'null' }], description: 'The last row; null = none.' },
    },
    required: ['id', 'kind', 'rows', 'first', 'last', 'totals', 'place'],
  })
  expect(notice).toMatchObject({ required: ['id'], additionalProperties: {} })
})
