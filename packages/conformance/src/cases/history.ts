import type { AnswerPattern, ConformanceCase } from '../case.ts'
import { caseOf, exchange, get, ok, post, run, say, shows } from './steps.ts'

const first = { seq: 1, at: { $any: true }, type: 'session_created', payload: { kind: 'chat', agent: 'scripted' } }

const sendFile = (raw: string, answer: AnswerPattern) => exchange({ method: 'POST', path: '/import', raw }, answer)

export const historyCases: readonly ConformanceCase[] = [
  caseOf('[X2] the log comes in pages, by the numbers of its events', [
    run(say('Hi'), ok),
    get('/sessions/{s}/log?limit=1', shows({ session: { id: '{s}', agent: 'scripted' }, entries: [first], next: 1 })),
    get('/sessions/{s}/log?after=1&limit=1', shows({ entries: [{ seq: 2, type: 'prompt_queued' }], next: 2 })),
  ]),
  caseOf('[X5] a place in another log is a 400', [
    run(say('Hi'), ok),
    get('/sessions/{s}/log?after=4000', shows({ error: { $match: 'another log' } }, 400)),
    get('/sessions/{s}/log?after=1~7', shows({ error: { $match: 'another log' } }, 400)),
  ]),
  caseOf('[X9] a file of a list has each tree of branches, and importing it again changes nothing', [
    run(say('about {s}'), ok),
    post(
      '/chat/sessions',
      { agent: 'scripted', title: 'also about {s}' },
      shows({ session_id: { $save: 'made' } }, 201),
    ),
    exchange({ method: 'POST', path: '/agents/scripted/{made}', script: say('about {s}') }, ok),
    get('/sessions/{s}', shows({ lastEventId: { $save: 'event' } })),
    post(
      '/chat/sessions/{s}/branch',
      { from_event_id: '{event}', title: 'of {s}' },
      shows({ session_id: { $save: 'child' } }, 201),
    ),
    get('/export?search={s}', {
      status: 200,
      headers: { 'content-type': { $match: 'application/x-ndjson' } },
      text: { $save: 'file' },
    }),
    sendFile('{file}', shows({ sessions: { $length: 3 } })),
    get('/export?search={s}', { status: 200, text: '{file}' }),
  ]),
  caseOf('[X11] a file that is none is a 400 with its line', [
    sendFile('{"hello":"there"}\n', shows({ error: { $match: '^Line 1: This is no export' } }, 400)),
    sendFile('{"bridle":"export"}\n', shows({ error: { $match: '^Line 1: The first line has no version' } }, 400)),
    sendFile(
      '{"bridle":"export","version":1,"created_by":"bridle"}\n{',
      shows({ error: { $match: '^Line 2: The file is cut off' } }, 400),
    ),
  ]),
  caseOf('[X50] every session of a tree gets the same tree', [
    run(say('Hi'), ok),
    get('/sessions/{s}', shows({ lastEventId: { $save: 'event' } })),
    post('/chat/sessions/{s}/branch', { from_event_id: '{event}' }, shows({ session_id: { $save: 'child' } }, 201)),
    get(
      '/sessions/{child}/tree',
      shows({
        root: '{s}',
        sessions: [
          { id: '{s}', parent: null },
          { id: '{child}', parent: { id: '{s}' } },
        ],
      }),
    ),
  ]),
]
