// A schema of an answer has exactly the fields of its type, and receipts hold the answers of their commands.

import type { Answers } from '@bridle/kernel/commands'
import type { BranchReceipt, PauseReceipt } from '@bridle/wire/frontend/wire'
import type { ApprovalReceipt, CancelReceipt, SessionCard, SignalReceipt } from '@bridle/wire/http/wire'
import * as f from '@bridle/wire/http/wire/fields'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { httpWires } from '../../all.ts'
import { routeTable } from '../../app.ts'
import { json } from './answer-schema.ts'
import { expectDeclaredAnswer, problemWith } from './declared-answers.suite.ts'
import { jsonResponse } from './json-response.ts'

interface Page {
  readonly items: readonly string[]
  readonly next?: string
}
const items = f.list(v.string(), 'The items.')
const next = f.text('The next page.')
const pageSchema = (entries: f.KernelEntries<Page>) => f.kernelSchema<Page>('Page', 'A page.', entries)
const page = pageSchema({ items, next: f.optional(next) })

describe('the compiler refuses', () => {
  test('a schema that lacks a field, has another, makes one optional, or has another type', () => {
    // @ts-expect-error a field is missing
    pageSchema({ items })
    // @ts-expect-error a field is not in the type
    pageSchema({ items, next: f.optional(next), more: next })
    // @ts-expect-error a required field is optional
    pageSchema({ items: f.optional(items), next: f.optional(next) })
    // @ts-expect-error an optional field is required
    pageSchema({ items, next })
    // @ts-expect-error a field has another type
    pageSchema({ items: f.list(v.number(), 'The items.'), next: f.optional(next) })
  })

  test('an answer that names no type, or has another', () => {
    // @ts-expect-error the type of the answer is not named
    json({ items: [] })
    // @ts-expect-error a field is missing
    json<Page>({})
    expect(json<Page>({ items: [] }).status).toBe(200)
  })
})

test('receipts hold the answers of their commands', () => {
  expectTypeOf<SessionCard & Answers['cancel']>().toExtend<CancelReceipt>()
  expectTypeOf<SessionCard & Answers['signal']>().toExtend<SignalReceipt>()
  expectTypeOf<SessionCard & Answers['pause']>().toExtend<PauseReceipt>()
  expectTypeOf<SessionCard & Answers['resume']>().toExtend<PauseReceipt>()
  expectTypeOf<SessionCard & Answers['set_policy']>().toExtend<SessionCard>()
  expectTypeOf<SessionCard & Answers['branch']>().toExtend<BranchReceipt>()
  expectTypeOf<{ ok: true; seq: number } & Answers['approve']>().toExtend<ApprovalReceipt>()
})

test.each([
  [{ items: ['a'], next: 'b' }, null],
  [{ items: [], warnings: ['query: "x" is not known here'] }, null],
  [{ items: [], more: 1 }, 'more: not declared'],
  [{ items: [1] }, 'items.0: Invalid type: Expected string but received 1'],
  [{}, 'items: Invalid key: Expected "items" but received undefined'],
])('%j as an answer: %j', (answer, problem) => expect(problemWith(page, answer)).toBe(problem))

describe('[H57] an app under test may answer only as it declares', () => {
  const rows = routeTable(httpWires)
  const held = (path: string, body: object, status = 200) =>
    expectDeclaredAnswer(rows, new Request(`http://127.0.0.1${path}`), jsonResponse(body, { status }))

  test('so what it declares passes', async () => {
    await held('/health', { ok: true })
    await held('/approvals', { approvals: [], next: 'n' })
    await held('/approvals', { error: { type: 'forbidden', message: 'no' } }, 403)
    await held('/nowhere', { anything: true })
  })

  test('and a line that does not end fails the test', () =>
    expect(
      expectDeclaredAnswer(rows, new Request('http://127.0.0.1/health'), Response.json({ ok: true })),
    ).rejects.toThrow('get /health answered 200, without a newline at the end.'))

  test.each([
    ['a status', '/health', { error: 'no' }, 404, 'get /health answered 404, which it does not declare.'],
    ['a field', '/health', { ok: true, since: 1 }, 200, 'get /health answered 200: since: not declared'],
    ['no field', '/approvals', {}, 200, 'get /approvals answered 200: approvals: Invalid key'],
    ['an error', '/approvals', { error: { text: 'no' } }, 403, 'get /approvals answered 403'],
  ])('and %s of its own fails the test', async (_what, path, body, status, message) =>
    expect(held(path, body, status)).rejects.toThrow(message),
  )
})
