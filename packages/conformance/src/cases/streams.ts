import type { ConformanceCase } from '../case.ts'
import { begin, caseOf, get, invoke, ok, run, shows, status, stream } from './steps.ts'

const story = [
  { text: 'abcdef', chunks: 3 },
  { tool: 'read', id: 'c1', args: {}, result: 1 },
]
const types = ['prompt_start', 'text_delta', 'text_delta', 'text_delta', 'tool_start', 'tool_end', 'result', 'idle']

export const streamCases: readonly ConformanceCase[] = [
  caseOf('[H4] shows the document’s events', [run(story, ok), stream('all', 'idle', { types })]),
  caseOf('[H5] a cursor resumes with exactly the rest, byte for byte', [
    run(story, ok),
    stream('all', 'idle'),
    {
      stream: 'three',
      ask: { path: `${invoke}/stream?replay=3` },
      until: 'idle',
      types: ['tool_end', 'result', 'idle'],
      last: { id: { $any: true } },
    },
    { frames: 'three', are: 'all', from: -3 },
    stream('first', 'prompt_start', { last: { id: { $save: 'first' } } }),
    { stream: 'header', ask: { path: `${invoke}/stream`, headers: { 'last-event-id': '{first}' } }, until: 'idle' },
    { frames: 'header', are: 'all', from: 1 },
    stream('query', 'idle', { path: `${invoke}/stream?after={first}` }),
    { frames: 'query', are: 'all', from: 1 },
    stream('named', 'idle', { path: `/sessions/{s}/events?after=ev-{first}` }),
    { frames: 'named', are: 'all', from: 1 },
  ]),
  caseOf('[H196] the outcome of a call travels whole: its status, its time, and its exit code', [
    run([{ tool: 'shell', id: 'c1', outcome: 'error', ms: 5, result: { exit_code: 2, output: '' } }], ok),
    stream('all', 'tool_end', {
      last: { data: { data: { isError: true, outcome: { status: 'error', elapsed_ms: 5, exit_code: 2 } } } },
    }),
  ]),
  caseOf('[H7] a cursor beyond the log gets a reset and all events', [
    run(story, ok),
    stream('reset', 'idle', { path: `${invoke}/stream?after=99999`, types: ['reset', ...types] }),
  ]),
  caseOf('[H40] a cursor of another incarnation gets a reset and all events', [
    run(story, ok),
    stream('first', 'prompt_start', { last: { id: { $save: 'first' } } }),
    stream('a', 'idle', { path: `${invoke}/stream?after={first}~2`, types: ['reset', ...types] }),
    {
      stream: 'b',
      ask: { path: '/sessions/{s}/events', headers: { 'last-event-id': 'ev-{first}~3' } },
      until: 'idle',
      types: ['reset', ...types],
    },
    get(`${invoke}/stream?after={first}~`, status(400)),
    get(`${invoke}?after={first}~2`, shows({ reset: true })),
  ]),
  caseOf('[H8] may be opened before the first invoke, and waits', [
    begin('later', [{ sleepMs: 30 }, { text: 'x' }]),
    stream('early', 'idle', { types: ['prompt_start', 'text_delta', 'result', 'idle'] }),
    { answered: 'later', answer: ok },
  ]),
  caseOf('[H4] a run in progress is seen as it happens', [
    begin('run', [{ text: 'abc', chunks: 3, everyMs: 40 }]),
    stream('live', 'idle', { types: ['prompt_start', 'text_delta', 'text_delta', 'text_delta', 'result', 'idle'] }),
    stream('again', 'idle'),
    { frames: 'again', are: 'live', from: 0 },
    { answered: 'run', answer: ok },
  ]),
]
