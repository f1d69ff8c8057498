// The agents of the matrix: the scripted one, two whose runs are durable, and Claude Code. Each has a prompt for every kind of session.
import { join } from 'node:path'
import { outcomeText, type PlanStep, WINDOW_TOKENS } from './durable/plan.ts'
import type { SessionKind } from './session.ts'

export interface CrashAgent {
  readonly name: 'scripted' | 'worker' | 'thinker' | 'claude'
  /** The folder whose `agents/` the server serves; absent: none. */
  readonly cwd?: string
  /** The prompt of a turn: its whole work, or a few words. The place names the session and the turn. */
  readonly prompt: (kind: SessionKind, length: TurnLength, place: string) => string
  /** Arguments that a person changes, and the result of the approved call. */
  readonly approval: { readonly args?: object; readonly result: unknown }
  /** The answers of a whole turn, where no fault may change them: the run outlives its server. */
  readonly answers?: { readonly [kind in SessionKind]: string }
  /** An event that each whole turn of this kind has on the stream of the frontend contract. */
  readonly proof?: { readonly kind: SessionKind; readonly type: string }
  /** The fault strikes within this time of the beginning; absent: 250 ms. */
  readonly strikeMs?: number
}

export type TurnLength = 'whole' | 'short'

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
  prompt: (kind, length) =>
    `@script ${JSON.stringify(length === 'whole' ? scripts[kind] : [{ text: 'once ' }, { text: 'more' }])}`,
  approval: { args: { n: 2 }, result: { arguments: { n: 2 } } },
}

type Plans = { readonly [kind in SessionKind]: readonly PlanStep[] }

const plans: Plans = {
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

/** The answer to a plan: its text, and after each call how it ended. */
const answerOf = (steps: readonly PlanStep[]): string =>
  steps.map(({ say, calls = [] }) => `${say}${calls.map((call) => outcomeText(call, 'ok')).join('')}`).join('')

const durable = (name: 'worker' | 'thinker', own: Partial<Plans> = {}): CrashAgent => {
  const all = { ...plans, ...own }
  return {
    name,
    cwd: join(import.meta.dirname, 'durable'),
    prompt: (kind, length, place) =>
      JSON.stringify(
        length === 'whole' ? { place, steps: all[kind], paceMs: PACE_MS } : { place, steps: [{ say: 'once more' }] },
      ),
    approval: { result: 'the receipt of deploy1' },
    answers: { talk: answerOf(all.talk), ask: answerOf(all.ask), work: answerOf(all.work) },
  }
}

export const durableFunction = durable('worker')
export const modelAgent = durable('thinker')

/** Each whole turn asks a child to do a part of it. */
export const delegatingAgent = durable('thinker', {
  talk: [{ say: 'You do it. ', calls: ['help1'] }, { say: 'And I. ', calls: ['put1'] }, { say: 'That is all.' }],
  work: [{ say: 'I begin. ', calls: ['put1'] }, { say: 'You go on. ', calls: ['help1'] }, { say: 'Finished.' }],
})

const longTalk: readonly PlanStep[] = [
  { say: 'I look for long. '.repeat(150), calls: ['read1'] },
  { say: 'Then I read on. ', calls: ['read2'], tokens: WINDOW_TOKENS },
  { say: 'That is all.' },
]

/** Each chat fills the window of its model in the middle of its turn, and continues from a summary. */
export const compactingAgent: CrashAgent = {
  ...durable('thinker', { talk: longTalk }),
  proof: { kind: 'talk', type: 'context_compacted' },
}

const bash = (command: string, id: string) => ({ tool_use: 'Bash', id, input: { command, description: 'x' } })
const spoken = (text: string) => ({ blocks: [{ text }], chunk: 4, delayMs: 20 })

const turns: { readonly [kind in SessionKind]: readonly object[] } = {
  talk: [spoken('word '.repeat(40))],
  ask: [{ blocks: [bash('echo written | tee out.txt', 'toolu_ask')] }, spoken('Done.')],
  work: [spoken('thing '.repeat(40))],
}

/** Runs live in a sandbox that outlives the server. */
export const claudeCode: CrashAgent = {
  name: 'claude',
  prompt: (kind, length) => `@stub ${JSON.stringify(length === 'whole' ? turns[kind] : [spoken('once more')])}`,
  approval: { result: 'written' },
  answers: { talk: 'word '.repeat(40), ask: 'Done.', work: 'thing '.repeat(40) },
  proof: { kind: 'ask', type: 'approval_required' },
  // Most of it is the engine's start.
  strikeMs: 4_000,
}
