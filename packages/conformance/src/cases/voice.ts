// Answers before a line opens. Whether the server has a voice at all depends on its configuration.
import type { CaseStep, ConformanceCase } from '../case.ts'
import { bearer, caseOf, caseOn, get, post, refusal, shows, status } from './steps.ts'

const line = '/sessions/{s}/voice'

const refusedQuery = (name: string, query: string): readonly CaseStep[] => [
  { open: name, path: `${line}?${query}` },
  { hear: name, message: { type: 'error', code: 'bad_request', message: { $any: true } } },
  { closed: name, code: 1008 },
  { heard: name, types: ['error'] },
]

export const voiceCases: readonly ConformanceCase[] = [
  caseOn('token', '[V30] a refused upgrade is answered like a request; a plain GET says 426', [
    { open: 'a', path: line, refused: refusal(401, 'unauthorized') },
    get(line, status(401)),
    get(`${line}?token=right`, status(426)),
    { open: 'a', path: `${line}?token=right`, headers: { origin: 'https://evil.example' }, refused: status(403) },
  ]),
  caseOn('scoped', '[V30] a line needs the scope operate, and a ticket opens no line of another session', [
    { open: 'a', path: `${line}?token=reader&tenant=acme`, refused: status(403) },
    post('/tickets', { sessionId: '{s}-other' }, shows({ ticket: { $save: 'ticket' } }, 201), bearer('worker')),
    { open: 'b', path: `${line}?ticket={ticket}`, refused: status(404) },
  ]),
  caseOf('[V39] a wrong query gets one error and a close, and makes no session', [
    ...refusedQuery('a', 'audioFormat=mp3'),
    ...refusedQuery('b', 'turns=sometimes'),
    ...refusedQuery('c', 'encoding=morse'),
    ...refusedQuery('d', `instructions=${'x'.repeat(4_001)}`),
    ...refusedQuery('e', 'agent=no-such-agent'),
    ...refusedQuery('f', 'line=a%20b'),
    get('/sessions/{s}', status(404)),
  ]),
  caseOn('scoped', '[V43] a session of another user is not there', [
    { open: 'a', path: '/sessions/user:bob/voice?token=ann', refused: status(404) },
    { open: 'b', path: '/sessions/user:bob/voice?token=ann&agent=scripted', refused: status(404) },
  ]),
]
