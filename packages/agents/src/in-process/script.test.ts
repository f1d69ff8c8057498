import { describe, expect, test } from 'vitest'
import { parseScript } from './script.ts'

const script = (...steps: unknown[]) => parseScript(`@script ${JSON.stringify(steps)}`)

describe('steps', () => {
  test.each<[string, object, object]>([
    ['text', { text: 'Hi' }, { kind: 'text', text: 'Hi', chunks: 1, everyMs: 0 }],
    ['text in pieces', { text: 'Hi', chunks: 8, everyMs: 5 }, { kind: 'text', text: 'Hi', chunks: 8, everyMs: 5 }],
    ['thinking', { thinking: 'hm' }, { kind: 'thinking', thinking: 'hm' }],
    ['a tool', { tool: 'read' }, { kind: 'tool', tool: 'read', args: {}, outcome: 'ok', ms: 0, effect: 'pure' }],
    [
      'a whole tool',
      { tool: 'read', id: 'c', args: { a: 1 }, result: null, outcome: 'timeout', ms: 5, effect: 'unsafe' },
      {
        kind: 'tool',
        tool: 'read',
        id: 'c',
        args: { a: 1 },
        result: null,
        outcome: 'timeout',
        ms: 5,
        effect: 'unsafe',
      },
    ],
    ['an approval', { approve: 'write' }, { kind: 'approve', approve: 'write', args: {}, reason: expect.any(String) }],
    [
      'a whole approval',
      { approve: 'write', id: 'c', args: { a: 1 }, reason: 'r', expiresMs: 60_000 },
      { kind: 'approve', approve: 'write', id: 'c', args: { a: 1 }, reason: 'r', expiresMs: 60_000 },
    ],
    [
      'a question without an id',
      { ask: 'Which?', options: ['a', { label: 'b', description: 'B' }] },
      {
        kind: 'ask',
        request: {
          questions: [{ id: 'q1', question: 'Which?', options: [{ label: 'a' }, { label: 'b', description: 'B' }] }],
        },
      },
    ],
    [
      '[A10] a whole question',
      {
        ...{ ask: 'Which?', id: 'db', options: ['a'], multi_select: true, allow_free_text: true, default: ['a'] },
        expiresMs: 60_000,
      },
      {
        kind: 'ask',
        id: 'db',
        request: {
          questions: [
            { id: 'db', question: 'Which?', options: [{ label: 'a' }], multi_select: true, allow_free_text: true },
          ],
          default: { db: ['a'] },
        },
        expiresMs: 60_000,
      },
    ],
    [
      '[A10] a form',
      {
        ask: { schema: { type: 'object', properties: { port: { type: 'integer' } } } },
        id: 'form',
        default: { port: 1 },
      },
      {
        kind: 'ask',
        id: 'form',
        request: { schema: { type: 'object', properties: { port: { type: 'integer' } } }, default: { port: 1 } },
      },
    ],
    [
      '[A10] several questions at once',
      {
        ask: {
          questions: [
            { id: 'a', question: 'A?', options: ['x'] },
            { question: 'B?', allow_free_text: true },
          ],
        },
      },
      {
        kind: 'ask',
        request: {
          questions: [
            { id: 'a', question: 'A?', options: [{ label: 'x' }] },
            { id: 'q2', question: 'B?', allow_free_text: true },
          ],
        },
      },
    ],
    ['a checkpoint', { checkpoint: 'one' }, { kind: 'checkpoint', checkpoint: 'one' }],
    [
      'an artifact',
      { artifact: { name: 'a', content: 'b' } },
      { kind: 'artifact', artifact: { name: 'a', content: 'b' } },
    ],
    [
      'usage',
      { usage: { input_tokens: 1, cost_usd: 0.01 } },
      { kind: 'usage', usage: { input_tokens: 1, cost_usd: 0.01 } },
    ],
    [
      'any event',
      { event: { type: 'context_warning' } },
      { kind: 'event', event: { type: 'context_warning', payload: {} } },
    ],
    ['sleep', { sleepMs: 50 }, { kind: 'sleepMs', sleepMs: 50 }],
    ['a failure', { fail: 'no' }, { kind: 'fail', fail: 'no', transient: false }],
    ['a transient failure', { fail: 'no', transient: true }, { kind: 'fail', fail: 'no', transient: true }],
  ])('%s', (_name, step, expected) => {
    expect(script(step)).toEqual({ steps: [expected] })
  })

  test('none', () => {
    expect(script()).toEqual({ steps: [] })
  })
})

describe('[A1] a bad script', () => {
  test.each<[string, string, RegExp]>([
    ['no JSON', '@script [', /^The script is not JSON: /],
    ['nothing', '@script ', /^The script is not JSON: /],
    ['no array', '@script {"text": "x"}', /^The script is not an array of steps\.$/],
  ])('%s', (_name, prompt, problem) => {
    expect(parseScript(prompt)).toEqual({ problem: expect.stringMatching(problem) })
  })

  test.each<[string, unknown, RegExp]>([
    ['a step that is none', 'text', /it is not an object/],
    ['null', null, /it is not an object/],
    ['an unknown step', { say: 'x' }, /it is none of text, thinking, tool, approve, ask/],
    ['an empty step', {}, /it is none of /],
    ['a list', ['text'], /it is none of /],
    ['a prototype', JSON.parse('{"__proto__": {"text": "x"}}'), /it is none of /],
    ['a wrong type', { text: 5 }, /text/],
    ['an unknown field', { text: 'x', chunk: 2 }, /chunk/],
    ['no pieces', { text: 'x', chunks: 0 }, /chunks/],
    ['half a piece', { text: 'x', chunks: 1.5 }, /chunks/],
    ['a negative time', { sleepMs: -1 }, /sleepMs/],
    ['more than a day', { sleepMs: 86_400_001 }, /sleepMs/],
    ['an unknown outcome', { tool: 'x', outcome: 'maybe' }, /outcome/],
    ['arguments that are a list', { tool: 'x', args: [] }, /args/],
    ['an artifact without a name', { artifact: { content: 'x' } }, /name/],
    ['a negative count', { usage: { input_tokens: -1 } }, /input_tokens/],
    ['a question that nobody could answer', { ask: 'Which?' }, /ask: Question 1 has no options and takes no free text/],
    ['a question that is a number', { ask: 5 }, /ask: Expected a text or an object/],
    [
      'a default that is no option',
      { ask: 'Which?', options: ['a'], default: 'b' },
      /The default does not fit\. "b" is not/,
    ],
    [
      'options of a form',
      { ask: { schema: { type: 'object', properties: {} } }, options: ['a'] },
      /^Step 2: options: Only/,
    ],
    ['a form without fields', { ask: { schema: { type: 'object', properties: {} } } }, /ask: The form has no fields/],
    ['an event nobody knows', { event: { type: 'party' } }, /"party" is not an event/],
    ['a greeting', { event: { type: 'session', payload: { session_id: 'x' } } }, /"session" is not an event/],
    ['an event that is not right', { event: { type: 'token', payload: { text: 1 } } }, /token: text/],
    ['an event of a prototype', { event: { type: 'constructor' } }, /"constructor" is not an event/],
  ])('%s names its step', (_name, step, problem) => {
    const result = script({ text: 'fine' }, step) as { problem: string }
    expect(result.problem).toMatch(/^Step 2: /)
    expect(result.problem).toMatch(problem)
  })
})

test.each(['hello', '', '@scripted is a fine word', '@script', 'say @script []', ' @script []'])(
  'any other prompt plays the tour: %j',
  (prompt) => {
    const { steps } = parseScript(prompt) as { steps: readonly { kind: string }[] }
    expect(steps.map(({ kind }) => kind)).toEqual(['thinking', 'text', 'tool', 'text'])
  },
)

test.each(['@script []', '@script\n[]', '@script  [ ]\n'])('a script may have space before it: %j', (prompt) => {
  expect(parseScript(prompt)).toEqual({ steps: [] })
})
