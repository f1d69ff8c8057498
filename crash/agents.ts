// The agents of the matrix: the scripted one, and two whose runs are durable. Each has a prompt for every kind of session.
import { join } from 'node:path'
import type { PlanStep } from './durable/plan.ts'
import type { SessionKind } from './session.ts'

export interface CrashAgent {
  readonly name: 'scripted' | 'worker' | 'thinker'
  /** The folder whose `agents/` the server serves; absent: none. */
  readonly cwd?: string
  /** The prompt of a turn. The place names the session and the turn. */
  readonly prompt: (kind: SessionKind, turn: 'first' | 'second', place: string) => string
  /** Arguments that a person changes, and the result of the approved call. */
  readonly approval: { readonly args?: object; readonly result: unknown }
  /** The answers of the first turn, where no fault may change them: the runs are durable. */
  readonly answers?: { readonly [kind in SessionKind]: string }
}

type ScriptSteps = readonly object[]

/** Long enough to be cut anywhere, short enough for many rounds. */
const scripts: { readonly [kind in SessionKind]: ScriptSteps } = {
  talk: [
    { text: 'a'.repeat(60), chunks: 20, everyMs: 6 },
    { tool: 'read_file', id: 'call-1', args: { path: 'a.txt' }, result: { lines: 3 }, ms: 5 },
    { text: 'b'.repeat(60), chunks: 20, everyMs: 6 },
  ],
  ask: [
    { text: 'May I? ', chunks: 3, everyMs: 4 },
    { approve: 'write_file', id: 'call-2', args: { n: 1 }, reason: 'It changes a file.' },
    { text: 'Done.' },
  ],
  work: [
    { checkpoint: 'begun' },
    { text: 'c'.repeat(30), chunks: 10, everyMs: 10 },
    { tool: 'count', id: 'call-3', args: {}, result: 3 },
    { text: 'finished' },
  ],
}

export const scripted: CrashAgent = {
  name: 'scripted',
  prompt: (kind, turn) =>
    `@script ${JSON.stringify(turn === 'first' ? scripts[kind] : [{ text: 'once ' }, { text: 'more' }])}`,
  approval: { args: { n: 2 }, result: { arguments: { n: 2 } } },
}

const plans: { readonly [kind in SessionKind]: readonly PlanStep[] } = {
  talk: [
    { say: 'I look at it. ', calls: ['read1', 'read2'] },
    { say: 'I put it there. ', calls: ['put1'] },
    { say: 'That is all.' },
  ],
  ask: [{ say: 'May I? ', calls: ['deploy1'] }, { say: 'Done.' }],
  work: [
    { say: 'I begin. ', calls: ['put1'] },
    { say: 'I go on. ', calls: ['read1'] },
    { say: 'I finish. ', calls: ['put2'] },
    { say: 'Finished.' },
  ],
}
/** A turn takes about as long as one of the scripted agent. */
const PACE_MS = 15

const durable = (name: 'worker' | 'thinker'): CrashAgent => ({
  name,
  cwd: join(import.meta.dirname, 'durable'),
  prompt: (kind, turn, place) =>
    JSON.stringify(
      turn === 'first' ? { place, steps: plans[kind], paceMs: PACE_MS } : { place, steps: [{ say: 'once more' }] },
    ),
  approval: { result: 'the receipt of deploy1' },
  answers: {
    talk: 'I look at it. [read1=ok][read2=ok]I put it there. [put1=ok]That is all.',
    ask: 'May I? [deploy1=ok]Done.',
    work: 'I begin. [put1=ok]I go on. [read1=ok]I finish. [put2=ok]Finished.',
  },
})

export const durableAgents: readonly CrashAgent[] = [durable('worker'), durable('thinker')]
