import { answerProblem } from '@bridle/events/answers'
import type { QuestionRequest } from '@bridle/events/questions'
import type { HarnessApproval } from '@bridle/kernel/projections/harness-state'
import { describe, expect, test } from 'vitest'
import { answerFields, openQuestions, readAnswer } from '../index.ts'
import { fakeClientOf, fakeServer, openClient, state } from './fake-server.suite.ts'

const approval = (id: string, more: Partial<HarnessApproval>): HarnessApproval => ({
  ...{ id, kind: 'question', toolCallId: 'c1', toolName: 'ask', reason: 'Which?' },
  ...more,
})
const db = { id: 'db', question: 'Which database?', options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] }
const days = { ...db, id: 'days', options: [{ label: 'Monday' }, { label: 'Friday' }], multi_select: true }
const name = { id: 'name', question: 'What name?', allow_free_text: true }

test('[H205] open questions are the approvals that take an answer', () => {
  const questions = approval('apr-1', { questions: [db], default: { db: 'SQLite' } })
  const form = approval('apr-2', { schema: { type: 'object', properties: {} } })
  const tool = approval('apr-3', { kind: 'tool' })
  expect(openQuestions({ approvals: [questions, tool, form, approval('apr-4', {})] })).toEqual([questions, form])
  expect(openQuestions({})).toEqual([])
})

test('[H205] an answer is an approval with answers or values, and rejects where it does not fit', async () => {
  const { client, line } = await openClient({ first: state(1, 'Hi') })
  const answered = client.answer('apr-1', { answers: { db: 'SQLite' } })
  const refused = client.answer('apr-2', { values: { port: 'x' }, pause: true })
  const byDefault = client.answer('apr-3')
  expect(line.commands).toEqual([
    expect.objectContaining({ type: 'approve', approvalId: 'apr-1', decision: 'approved', answers: { db: 'SQLite' } }),
    expect.objectContaining({ approvalId: 'apr-2', decision: 'approved', values: { port: 'x' }, pause: true }),
    expect.objectContaining({ approvalId: 'apr-3', decision: 'approved' }),
  ])
  const [first = '', second = '', third = ''] = line.commands.map(({ commandId }) => commandId)
  line.tell(
    { type: 'ack', commandId: first, ok: true, answer: { approvalId: 'apr-1', decision: 'approved' } },
    {
      type: 'ack',
      commandId: second,
      ok: false,
      code: 'invalid_answer',
      message: 'Field "port" must be a whole number.',
    },
    { type: 'ack', commandId: third, ok: true },
  )
  expect(await answered).toMatchObject({ approvalId: 'apr-1' })
  await expect(refused).rejects.toMatchObject({
    code: 'invalid_answer',
    message: 'Field "port" must be a whole number.',
  })
  await byDefault
  client.close()
})

test('[H205] an answer is never sent late', async () => {
  const client = fakeClientOf(fakeServer())
  await expect(client.answer('apr-1', { answers: {} })).rejects.toMatchObject({ code: 'not_sent' })
  client.close()
})

describe('[H206] the answer in a form of a page', () => {
  const form = (...entries: readonly (readonly [string, string])[]): FormData => {
    const data = new FormData()
    for (const [key, value] of entries) data.append(key, value)
    return data
  }

  test('has inputs for questions, and for the fields of a form', () => {
    const free = { ...db, allow_free_text: true, options: [{ label: 'SQLite', description: 'One file.' }] }
    expect(answerFields({ questions: [free, days, name] })).toEqual([
      {
        ...{ name: 'db', type: 'choice', label: 'Which database?', isRequired: true, allowsText: true },
        options: [{ value: 'SQLite', label: 'SQLite', description: 'One file.' }],
      },
      {
        ...{ name: 'days', type: 'choices', label: 'Which database?', isRequired: true },
        options: [
          { value: 'Monday', label: 'Monday' },
          { value: 'Friday', label: 'Friday' },
        ],
      },
      { name: 'name', type: 'text', label: 'What name?', isRequired: true },
    ])
    const schema = { type: 'object', properties: { port: { type: 'integer', title: 'Port' } } }
    expect(answerFields({ schema })).toEqual([{ name: 'port', type: 'integer', label: 'Port', isRequired: false }])
  })

  test('has an answer for each question, and text behind the options counts instead of them', () => {
    const request: QuestionRequest = { questions: [db, days, name] }
    const given = readAnswer(request, form(['db', 'SQLite'], ['days', 'Monday'], ['days', 'Friday'], ['name', 'Ann']))
    expect(given).toEqual({ answers: { db: 'SQLite', days: ['Monday', 'Friday'], name: 'Ann' } })
    expect(answerProblem(request, given)).toBeNull()
    expect(readAnswer({ questions: [db] }, form(['db', 'SQLite'], ['db', 'DuckDB']))).toEqual({
      answers: { db: 'DuckDB' },
    })
    expect(readAnswer({ questions: [db] }, form(['db', 'SQLite'], ['db', ' ']))).toEqual({ answers: { db: 'SQLite' } })
  })

  test('leaves out what is blank, so that the refusal names it', () => {
    const given = readAnswer({ questions: [db, days] }, form(['db', '']))
    expect(given).toEqual({ answers: { days: [] } })
    expect(answerProblem({ questions: [db, days] }, given)).toBe('Question "db" has no answer.')
  })

  test('has the values of a form in their types', () => {
    const schema = {
      type: 'object',
      properties: {
        port: { type: 'integer' },
        host: { type: 'string' },
        isPublic: { type: 'boolean' },
        isFast: { type: 'boolean' },
        level: { enum: ['low', 'high'] },
        tags: { type: 'array', items: { enum: ['a', 'b'] } },
        owner: { type: 'object', properties: { name: { type: 'string' } } },
        note: { type: 'string' },
      },
      required: ['tags'],
    }
    const entries = [
      ['port', '80'],
      ['host', 'a.example'],
      ['isPublic', 'on'],
      ['level', 'high'],
      ['owner', '{"name":"Ann"}'],
      ['note', ''],
    ] as const
    const given = readAnswer({ schema }, form(...entries))
    expect(given).toEqual({
      values: {
        port: 80,
        host: 'a.example',
        isPublic: true,
        isFast: false,
        level: 'high',
        tags: [],
        owner: { name: 'Ann' },
      },
    })
    expect(answerProblem({ schema }, given)).toBeNull()
  })

  test('passes on a value that does not fit', () => {
    const schema = { type: 'object', properties: { port: { type: 'integer' }, owner: { type: 'object' } } }
    expect(readAnswer({ schema }, form(['port', 'many'], ['owner', '{']))).toEqual({
      values: { port: 'many', owner: '{' },
    })
  })
})
