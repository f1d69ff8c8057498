// docs/protocol/history.md: the log of a session, files of several sessions, and the tree of branches.
import type { ConformanceCase } from '../case.ts'

const invoke = '/agents/scripted/{s}'
const say = (text: string) => [{ text }]
const ok = { status: 200 } as const
const first = { seq: 1, at: { $any: true }, type: 'session_created', payload: { kind: 'chat', agent: 'scripted' } }

export const historyCases: readonly ConformanceCase[] = [
  {
    name: '[X2] the log comes in pages, by the numbers of its events',
    steps: [
      { ask: { method: 'POST', path: invoke, script: say('Hi') }, answer: ok },
      {
        ask: { path: '/sessions/{s}/log?limit=1' },
        answer: { status: 200, body: { session: { id: '{s}', agent: 'scripted' }, entries: [first], next: 1 } },
      },
      {
        ask: { path: '/sessions/{s}/log?after=1&limit=1' },
        answer: { status: 200, body: { entries: [{ seq: 2, type: 'prompt_queued' }], next: 2 } },
      },
    ],
  },
  {
    name: '[X5] a place in another log is a 400',
    steps: [
      { ask: { method: 'POST', path: invoke, script: say('Hi') }, answer: ok },
      {
        ask: { path: '/sessions/{s}/log?after=4000' },
        answer: { status: 400, body: { error: { $match: 'another log' } } },
      },
      {
        ask: { path: '/sessions/{s}/log?after=1~7' },
        answer: { status: 400, body: { error: { $match: 'another log' } } },
      },
    ],
  },
  {
    name: '[X9] a file of a list has each tree of branches, and importing it again changes nothing',
    steps: [
      { ask: { method: 'POST', path: invoke, script: say('about {s}') }, answer: ok },
      {
        ask: { method: 'POST', path: '/chat/sessions', body: { agent: 'scripted', title: 'also about {s}' } },
        answer: { status: 201, body: { session_id: { $save: 'made' } } },
      },
      { ask: { method: 'POST', path: '/agents/scripted/{made}', script: say('about {s}') }, answer: ok },
      { ask: { path: '/sessions/{s}' }, answer: { status: 200, body: { lastEventId: { $save: 'event' } } } },
      {
        ask: { method: 'POST', path: '/chat/sessions/{s}/branch', body: { from_event_id: '{event}', title: 'of {s}' } },
        answer: { status: 201, body: { session_id: { $save: 'child' } } },
      },
      {
        ask: { path: '/export?search={s}' },
        answer: {
          status: 200,
          headers: { 'content-type': { $match: 'application/x-ndjson' } },
          text: { $save: 'file' },
        },
      },
      {
        ask: { method: 'POST', path: '/import', raw: '{file}' },
        answer: { status: 200, body: { sessions: { $length: 3 } } },
      },
      {
        ask: { path: '/export?search={s}' },
        answer: { status: 200, text: '{file}' },
      },
    ],
  },
  {
    name: '[X11] a file that is none is a 400 with its line',
    steps: [
      {
        ask: { method: 'POST', path: '/import', raw: '{"hello":"there"}\n' },
        answer: { status: 400, body: { error: { $match: '^Line 1: This is no export' } } },
      },
      {
        ask: { method: 'POST', path: '/import', raw: '{"bridle":"export"}\n' },
        answer: { status: 400, body: { error: { $match: '^Line 1: The first line has no version' } } },
      },
      {
        ask: { method: 'POST', path: '/import', raw: '{"bridle":"export","version":1,"created_by":"bridle"}\n{' },
        answer: { status: 400, body: { error: { $match: '^Line 2: The file is cut off' } } },
      },
    ],
  },
  {
    name: '[X50] every session of a tree gets the same tree',
    steps: [
      { ask: { method: 'POST', path: invoke, script: say('Hi') }, answer: ok },
      { ask: { path: '/sessions/{s}' }, answer: { status: 200, body: { lastEventId: { $save: 'event' } } } },
      {
        ask: { method: 'POST', path: '/chat/sessions/{s}/branch', body: { from_event_id: '{event}' } },
        answer: { status: 201, body: { session_id: { $save: 'child' } } },
      },
      {
        ask: { path: '/sessions/{child}/tree' },
        answer: {
          status: 200,
          body: {
            root: '{s}',
            sessions: [
              { id: '{s}', parent: null },
              { id: '{child}', parent: { id: '{s}' } },
            ],
          },
        },
      },
    ],
  },
]
