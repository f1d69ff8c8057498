import type { AnyEvent } from '@bridle/kernel/event'
import { expect, test } from 'vitest'
import type { ModelMessage } from '../../model/model.ts'
import { Transcript } from './transcript.ts'

type Draft = readonly [type: string, payload: object, run?: string]

const fold = (drafts: readonly Draft[], from = new Transcript()): Transcript => {
  let { seq } = from
  for (const [type, payload, run] of drafts) {
    seq += 1
    from.add({ seq, at: seq, type, payload, ...(run && { run }), frame: seq } as unknown as AnyEvent)
  }
  return from
}

const queued = (run: string, text = `ask ${run}`, more: object = {}): Draft => [
  'prompt_queued',
  { run_id: run, message_id: `m-${run.slice(2)}`, text, ...more },
]
const begun = (run: string, prompt = `ask ${run}`): Draft => ['turn_start', { turn_id: run, prompt }, run]
const turn = (run: string, prompt = `ask ${run}`): Draft[] => [queued(run, prompt), begun(run, prompt)]
const said = (run: string, text: string): Draft => [
  'model_step',
  { step: 1, model: 'm', content: [{ type: 'text', text }], finish: 'stop' },
  run,
]
const called = (run: string, ...ids: string[]): Draft => [
  'model_step',
  {
    step: 1,
    model: 'm',
    content: ids.map((id) => ({ type: 'call', id, tool: 'read', input: { id }, provider_id: `p-${id}` })),
    finish: 'tool-calls',
  },
  run,
]
const settled = (run: string, id: string, payload: object = { status: 'ok', result: `result ${id}` }): Draft => [
  'tool_outcome',
  { tool_call_id: id, tool_name: 'read', ...payload },
  run,
]
const end = (run: string, status = 'completed', more: object = {}): Draft => [
  'turn_end',
  { turn_id: run, status, ...more },
  run,
]

const user = (...texts: string[]): ModelMessage => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
})
const assistant = (text: string): ModelMessage => ({ role: 'assistant', content: [{ type: 'text', text }] })
const calls = (...ids: string[]): ModelMessage => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool-call', toolCallId: `p-${id}`, toolName: 'read', input: { id } })),
})
const results = (...list: [id: string, output: object][]) => ({
  role: 'tool',
  content: list.map(([id, output]) => ({ type: 'tool-result', toolCallId: `p-${id}`, toolName: 'read', output })),
})
const text = (value: string) => ({ type: 'text', value })
const problem = (value: string) => ({ type: 'error-text', value })
const unmade = problem('The call was not made.')
const first = [user('ask r-1')]

test.each<[string, readonly Draft[], readonly object[]]>([
  ['a prompt', turn('r-1'), first],
  ['a queued prompt is not seen before its turn', [...turn('r-1'), queued('r-2')], first],
  [
    'two turns',
    [...turn('r-1'), said('r-1', 'hi'), end('r-1'), ...turn('r-2')],
    [...first, assistant('hi'), user('ask r-2')],
  ],
  ['a turn that starts twice', [...turn('r-1'), begun('r-1')], first],
  [
    'input beyond the prompt',
    [queued('r-1', 'hello', { input: { prompt: 'hello', n: 1 } }), begun('r-1', 'hello')],
    [user('hello', 'Input: {"prompt":"hello","n":1}')],
  ],
  [
    'input that is the prompt',
    [queued('r-1', '{"n":1}', { input: { n: 1 } }), begun('r-1', '{"n":1}')],
    [user('{"n":1}')],
  ],
  [
    'text that a step left unfinished',
    [...turn('r-1'), ['token', { text: 'half' }, 'r-1'], said('r-1', 'whole')],
    [...first, assistant('whole')],
  ],
  [
    'thoughts and calls with their metadata',
    [
      ...turn('r-1'),
      [
        'model_step',
        {
          step: 1,
          model: 'm',
          finish: 'tool-calls',
          content: [
            { type: 'reasoning', text: 'hm', metadata: { p: { signature: 's1' } } },
            { type: 'text', text: 'so' },
            { type: 'call', id: 'a', tool: 'read', input: { id: 'a' }, provider_id: 'p-a', metadata: { p: { s: 2 } } },
          ],
        },
        'r-1',
      ],
      settled('r-1', 'a'),
    ],
    [
      ...first,
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', providerOptions: { p: { signature: 's1' } } },
          { type: 'text', text: 'so' },
          {
            type: 'tool-call',
            toolCallId: 'p-a',
            toolName: 'read',
            input: { id: 'a' },
            providerOptions: { p: { s: 2 } },
          },
        ],
      },
      results(['a', text('result a')]),
    ],
  ],
  [
    'outcomes in the order of their calls',
    [...turn('r-1'), called('r-1', 'a', 'b', 'c'), settled('r-1', 'c'), settled('r-1', 'a'), settled('r-1', 'b')],
    [
      ...first,
      calls('a', 'b', 'c'),
      results(['a', text('result a')], ['b', text('result b')], ['c', text('result c')]),
    ],
  ],
  [
    'each kind of outcome',
    [
      ...turn('r-1'),
      called('r-1', 'a', 'b', 'c', 'd', 'e'),
      settled('r-1', 'a', { status: 'ok', result: { n: 1 } }),
      settled('r-1', 'b', { status: 'error', error: 'no such file' }),
      settled('r-1', 'c', { status: 'timeout', error: 'too slow' }),
      settled('r-1', 'd', { status: 'denied', reason: 'not on Friday' }),
      settled('r-1', 'e', { status: 'ok' }),
    ],
    [
      ...first,
      calls('a', 'b', 'c', 'd', 'e'),
      results(
        ['a', { type: 'json', value: { n: 1 } }],
        ['b', problem('no such file')],
        ['c', problem('too slow')],
        ['d', problem('The call was not made: not on Friday')],
        ['e', { type: 'json', value: null }],
      ),
    ],
  ],
  [
    'a call keeps its first outcome',
    [...turn('r-1'), called('r-1', 'a'), settled('r-1', 'a'), settled('r-1', 'a', { status: 'error', error: 'late' })],
    [...first, calls('a'), results(['a', text('result a')])],
  ],
  [
    'a large result: its two ends',
    [
      ...turn('r-1'),
      called('r-1', 'a', 'b'),
      ['context_added', { text: 'begin … end', source: 'result_excerpt', tool_call_id: 'a' }, 'r-1'],
      settled('r-1', 'a', { status: 'artifact', result: { artifact_id: 'x', size: 9, preview: 'b' } }),
      settled('r-1', 'b', { status: 'artifact', result: { artifact_id: 'y' } }),
    ],
    [
      ...first,
      calls('a', 'b'),
      results(
        ['a', text('begin … end\n[The whole result is the artifact x. Read more of it with read_artifact.]')],
        ['b', { type: 'json', value: { artifact_id: 'y' } }],
      ),
    ],
  ],
  [
    'arguments that a person changed',
    [
      ...turn('r-1'),
      called('r-1', 'a', 'b'),
      ['approval_required', { request_id: 'apr-1', tool_call_id: 'a' }, 'r-1'],
      ['approval_required', { request_id: 'apr-2', tool_call_id: 'b' }, 'r-1'],
      ['approval_decided', { request_id: 'apr-1', decision: 'approved', arguments: { id: 'z' } }, 'r-1'],
      ['approval_decided', { request_id: 'apr-2', decision: 'approved', arguments: { id: 'b' } }, 'r-1'],
      settled('r-1', 'a'),
      settled('r-1', 'b'),
    ],
    [
      ...first,
      calls('a', 'b'),
      results(
        ['a', text('A person changed the arguments of this call to {"id":"z"} and approved it.\nresult a')],
        ['b', text('result b')],
      ),
    ],
  ],
  [
    'a steering prompt stands where it was delivered',
    [
      ...turn('r-1'),
      ['steered', { run_id: 'r-1', message_id: 'm-3', text: 'also' }, 'r-1'],
      called('r-1', 'a'),
      settled('r-1', 'a'),
      ['steer_delivered', { message_id: 'm-3' }, 'r-1'],
      said('r-1', 'done'),
    ],
    [...first, calls('a'), results(['a', text('result a')]), user('also'), assistant('done')],
  ],
  [
    'a steering prompt that is not delivered',
    [...turn('r-1'), ['steered', { run_id: 'r-1', message_id: 'm-3', text: 'also' }, 'r-1'], said('r-1', 'done')],
    [...first, assistant('done')],
  ],
  [
    'a text of the agent’s own code',
    [...turn('r-1'), said('r-1', 'x'), ['context_added', { text: 'Call answer.', source: 'output_reminder' }, 'r-1']],
    [...first, assistant('x'), user('Call answer.')],
  ],
  [
    'a cancelled turn: its calls have results, and the next turn is told',
    [
      ...turn('r-1'),
      called('r-1', 'a', 'b'),
      settled('r-1', 'a', { status: 'error', reason: 'interrupted', error: 'The call was interrupted.' }),
      end('r-1', 'cancelled'),
      ...turn('r-2'),
    ],
    [
      ...first,
      calls('a', 'b'),
      results(['a', problem('The call was interrupted.')], ['b', unmade]),
      user('[The turn before was cancelled before its end.]', 'ask r-2'),
    ],
  ],
  [
    'a failed turn: only the next one is told',
    [...turn('r-1'), end('r-1', 'failed'), ...turn('r-2'), said('r-2', 'ok'), end('r-2'), ...turn('r-3')],
    [...first, user('[The turn before failed before its end.]', 'ask r-2'), assistant('ok'), user('ask r-3')],
  ],
  [
    'an edit drops the runs that it takes back',
    [
      ...turn('r-1'),
      said('r-1', 'one'),
      end('r-1'),
      ...turn('r-5'),
      called('r-5', 'a'),
      end('r-5', 'cancelled'),
      ['rewound', { keep: 2, message_id: 'm-5', run_ids: ['r-5'] }],
      ...turn('r-10'),
    ],
    [...first, assistant('one'), user('ask r-10')],
  ],
  [
    'an edit of the first prompt',
    [
      ...turn('r-1'),
      said('r-1', 'one'),
      end('r-1'),
      ['rewound', { keep: 0, message_id: 'm-1', run_ids: ['r-1'] }],
      ...turn('r-6'),
    ],
    [user('ask r-6')],
  ],
  [
    'an edit of a steering prompt keeps the turn up to it',
    [
      ...turn('r-1'),
      called('r-1', 'a'),
      ['steered', { run_id: 'r-1', message_id: 'm-4', text: 'also' }, 'r-1'],
      settled('r-1', 'a'),
      ['steer_delivered', { message_id: 'm-4' }, 'r-1'],
      said('r-1', 'done'),
      end('r-1'),
      ['rewound', { keep: 2, message_id: 'm-4', run_ids: ['r-1'] }],
      ...turn('r-10'),
    ],
    [...first, calls('a'), results(['a', text('result a')]), user('ask r-10')],
  ],
  [
    'a branch out of the middle of a call goes on with its turn',
    [
      ...turn('r-1'),
      called('r-1', 'a', 'b'),
      settled('r-1', 'b'),
      ['branched', {}],
      settled('r-1', 'a', { status: 'error', reason: 'branched', error: 'The call was interrupted.' }),
      end('r-1', 'cancelled', { stop_reason: 'branched' }),
      queued('r-8', 'ask r-1', { continues_run: 'r-1' }),
      begun('r-8', 'ask r-1'),
      said('r-8', 'done'),
    ],
    [...first, calls('a', 'b'), results(['a', unmade], ['b', text('result b')]), assistant('done')],
  ],
  [
    'a branch that goes on has the steering prompt that its parent’s model had not seen',
    [
      ...turn('r-1'),
      called('r-1', 'a'),
      ['steered', { run_id: 'r-1', message_id: 'm-4', text: 'also' }, 'r-1'],
      settled('r-1', 'a'),
      ['branched', {}],
      end('r-1', 'cancelled', { stop_reason: 'branched' }),
      queued('r-8', 'also', { continues_run: 'r-1' }),
      begun('r-8', 'also'),
    ],
    [...first, calls('a'), results(['a', text('result a')]), user('also')],
  ],
  [
    'a branch with another prompt',
    [...turn('r-1'), ['branched', {}], end('r-1', 'cancelled', { stop_reason: 'branched' }), ...turn('r-5')],
    [...first, user('[The turn before was left before its end.]', 'ask r-5')],
  ],
  [
    'a turn of the agent when it was a function',
    [...turn('r-1'), ['response', { text: 'by hand' }, 'r-1'], end('r-1'), ...turn('r-5')],
    [...first, assistant('by hand'), user('ask r-5')],
  ],
  [
    'ids that a provider uses again',
    [
      ...turn('r-1'),
      [
        'model_step',
        {
          step: 1,
          model: 'm',
          finish: 'tool-calls',
          content: [{ type: 'call', id: 'x', tool: 'read', input: {}, provider_id: 'p-a' }],
        },
        'r-1',
      ],
      settled('r-1', 'x'),
      [
        'model_step',
        {
          step: 2,
          model: 'm',
          finish: 'tool-calls',
          content: [{ type: 'call', id: 'y', tool: 'read', input: {}, provider_id: 'p-a' }],
        },
        'r-1',
      ],
      settled('r-1', 'y'),
    ],
    [
      ...first,
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'p-a', toolName: 'read', input: {} }] },
      results(['a', text('result x')]),
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'p-a_2', toolName: 'read', input: {} }] },
      results(['a_2', text('result y')]),
    ],
  ],
  [
    'an answer without content',
    [
      ...turn('r-1'),
      ['model_step', { step: 1, model: 'm', content: [], finish: 'stop' }, 'r-1'],
      end('r-1'),
      ...turn('r-4'),
    ],
    [...first, user('ask r-4')],
  ],
])('[N41] %s', (_name, drafts, expected) => {
  const whole = fold(drafts).prompt(null)
  expect(whole).toEqual(expected)
  // Rendered after every event, or once: the bytes are the same.
  const often = new Transcript()
  for (const [index, draft] of drafts.entries()) {
    fold([draft], often)
    // A request is made only where every call has an outcome, or its turn is over.
    if (index + 1 < drafts.length && drafts[index + 1]?.[0] === 'turn_start') often.prompt(null)
  }
  expect(JSON.stringify(often.prompt(null))).toBe(JSON.stringify(whole))
})

test('[N41] hearsay, and events that are folded already, change nothing', () => {
  const transcript = fold(turn('r-1'))
  const forged = { seq: 3, at: 3, type: 'turn_start', payload: { turn_id: 'r-9', prompt: 'forged' }, hearsay: true }
  transcript.add(forged as unknown as AnyEvent)
  transcript.add({
    seq: 2,
    at: 2,
    type: 'context_added',
    payload: { text: 'twice' },
    run: 'r-1',
  } as unknown as AnyEvent)
  expect(transcript.prompt(null)).toEqual(first)
  expect(transcript.seq).toBe(3)
})

test('[N41] an entry is rendered once, however long the conversation', () => {
  const transcript = fold([...turn('r-1'), called('r-1', 'a'), settled('r-1', 'a')])
  const before = [...transcript.prompt(null)]
  fold([said('r-1', 'done')], transcript)
  const after = transcript.prompt(null)
  expect(before.map((message, index) => message === after[index])).toEqual([true, true, true])
})

test('[N42] work counts, waiting and the time without an owner do not', () => {
  const transcript = new Transcript()
  const at = (seq: number, time: number, type: string, frame = true) =>
    transcript.add({
      ...{ seq, at: time, type, run: 'r-1', payload: { turn_id: 'r-1', prompt: 'x' } },
      ...(frame && { frame: seq }),
    } as unknown as AnyEvent)
  at(1, 0, 'turn_start', false)
  at(2, 100, 'run_started')
  at(3, 150, 'token')
  at(4, 160, 'run_waiting')
  at(5, 900, 'run_woken', false)
  at(6, 1_000, 'run_resumed')
  at(7, 1_020, 'token')
  // The process dies here, and a prompt comes before the next owner does.
  at(8, 5_000, 'steered', false)
  expect(transcript.turn.workMs(1_030)).toBe(90)
  at(9, 9_000, 'run_resumed')
  expect(transcript.turn.workMs(9_005)).toBe(85)
})

test('[N41] ids of calls stay unique however often a provider repeats them, and whichever it makes up', () => {
  const ids = ['a', 'a', 'b', 'a', 'a_2', 'b', 'a']
  const transcript = fold(
    ids.map((id, index): Draft => {
      const content = [{ type: 'call', id: `r1.${index}.1`, tool: 'read', input: {}, provider_id: id }]
      return ['model_step', { step: index, model: 'm', content, finish: 'tool-calls' }, 'r1']
    }),
  )
  const calls = transcript
    .prompt(null)
    .flatMap(({ role, content }) =>
      role === 'assistant' ? content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])) : [],
    )
  expect(calls).toEqual(['a', 'a_2', 'b', 'a_3', 'a_2_2', 'b_2', 'a_4'])
})

const interrupted = (run: string, text: string): Draft => [
  'output_superseded',
  { run_id: run, attempt: 1, keep: { chars: text.length, parts: 1 }, interrupted: { text } },
  run,
]
const NOTE = '[The listener interrupted: the answer before ends where it was heard.]'

test('[V3] a model remembers of an interrupted answer what was heard', () => {
  const whole = [...turn('r-1'), said('r-1', 'One two three'), end('r-1'), interrupted('r-1', 'One two')]
  expect(fold([...whole, ...turn('r-2')]).prompt(null)).toEqual([
    user('ask r-1'),
    assistant('One two'),
    user(NOTE, 'ask r-2'),
  ])
})

test('[V3] a model remembers the beginning of an answer that no step of the log has', () => {
  const cut = [...turn('r-1'), interrupted('r-1', 'One t'), end('r-1', 'cancelled')]
  expect(fold([...cut, ...turn('r-2')]).prompt(null)).toEqual([
    user('ask r-1'),
    assistant('One t'),
    user(NOTE, 'ask r-2'),
  ])
})

test('[V3] calls of an interrupted answer stay, and the text before them', () => {
  const step = (text: string, chars: number): Draft => {
    const [type, payload, run] = said('r-1', text)
    return [type, { ...payload, chars }, run]
  }
  const drafts = [
    ...turn('r-1'),
    step('First.', 6),
    called('r-1', 'a'),
    settled('r-1', 'a'),
    step('Second, and more.', 23),
    interrupted('r-1', 'First.Second,'),
    end('r-1', 'cancelled'),
  ]
  const texts = fold(drafts)
    .prompt(null)
    .flatMap(({ role, content }) => (role === 'assistant' ? [content] : []))
  expect(texts).toMatchObject([[{ text: 'First.' }], [{ type: 'tool-call' }], [{ text: 'Second,' }]])
})
