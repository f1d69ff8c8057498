// The rows of the table "When a process dies": the plan of a run, the point at which the server is killed, and what is done again.
import { type PlanStep, WINDOW_TOKENS } from './plan.ts'
import type { AgentName } from './world.ts'

export interface DeathRow {
  readonly name: string
  readonly agents: readonly AgentName[]
  readonly steps: readonly PlanStep[]
  /**
   * Where the server is killed: at a gate, while the run waits for an approval, a moment or a signal, just after its approval was answered or
   * somebody decided about its proposal, or just after its prompt was sent.
   */
  readonly at: string | 'waiting' | 'answered' | 'sent' | 'decided'
  /** Calls whose outcome is in the log when the server is killed. */
  readonly settled?: readonly string[]
  /** How often an effect begins; once where nothing is said. */
  readonly times?: { readonly [effect: string]: number }
  /** The answer to a question about an outcome that nobody knows. */
  readonly unknown?: 'approve' | 'reject'
  /** The answer to an approval, where the row waits for one given only after the restart; null: nobody answers. */
  readonly verdict?: 'approve' | 'reject' | null
  /** Calls that fail where the server is killed, and not in the run that is left alone. */
  readonly fails?: readonly string[]
  /** The number of questions about unknown outcomes. */
  readonly questions?: number
  /** The number of questions about calls in the whole session. */
  readonly asks?: number
  /** The middleware acts, too. */
  readonly isGuided?: boolean
  /** The gate is in the child of the run, and so are the effects that are counted. */
  readonly isInChild?: boolean
}

const both = ['worker', 'thinker'] as const
const end: PlanStep = { say: 'That is all.' }
const begin: PlanStep = { say: 'First I look. ', calls: ['read1'] }

export const deathRows: readonly DeathRow[] = [
  // The server dies while the prompt is on its way, or soon after: any step may have begun.
  {
    name: 'sent',
    agents: both,
    steps: [begin, end],
    at: 'sent',
    times: { 'think-0': NaN, read1: NaN, 'think-1': NaN },
  },
  {
    name: 'speaks',
    agents: ['thinker'],
    steps: [begin, { say: 'Then I read on. ', calls: ['read2'] }, end],
    at: 'think-1.during',
    times: { 'think-1': 2 },
  },
  {
    name: 'spoke',
    agents: ['thinker'],
    steps: [begin, { say: 'Then I read on. ', calls: ['read2'] }, end],
    at: 'think-1.done',
    times: { 'think-1': 2 },
  },
  {
    name: 'summary',
    agents: ['thinker'],
    steps: [
      { say: 'I look for long. '.repeat(150), calls: ['read1'] },
      { say: 'Then I read on. ', calls: ['read2'], tokens: WINDOW_TOKENS },
      end,
    ],
    at: 'summary.during',
    times: { summary: 2 },
  },
  { name: 'speaks', agents: ['worker'], steps: [begin, { say: 'Then I read on. ' }, end], at: 'text-1' },
  {
    name: 'pure',
    agents: both,
    steps: [begin, { say: 'Again. ', calls: ['read2'] }, end],
    at: 'read2.during',
    times: { read2: 2 },
  },
  {
    name: 'idempotent',
    agents: both,
    steps: [begin, { say: 'I put. ', calls: ['put1'] }, end],
    at: 'put1.done',
    times: { put1: 2 },
  },
  {
    name: 'unsafe-approved',
    agents: both,
    steps: [begin, { say: 'I pay. ', calls: ['pay1'] }, end],
    at: 'pay1.done',
    unknown: 'approve',
    questions: 1,
    times: { pay1: 2 },
  },
  {
    name: 'unsafe-denied',
    agents: both,
    steps: [begin, { say: 'I pay. ', calls: ['pay1'] }, end],
    at: 'pay1.done',
    unknown: 'reject',
    questions: 1,
    fails: ['pay1'],
  },
  {
    name: 'wave',
    agents: both,
    steps: [begin, { say: 'All at once. ', calls: ['read2', 'read3', 'read4'] }, end],
    at: 'read3.during',
    settled: ['read2', 'read4'],
    times: { read3: 2 },
  },
  {
    name: 'wave-unsafe',
    agents: ['worker'],
    steps: [begin, { say: 'All at once. ', calls: ['put1', 'pay1', 'pay2'] }, end],
    at: 'pay1.during',
    settled: ['put1', 'pay2'],
    unknown: 'approve',
    questions: 1,
    times: { pay1: 2 },
  },
  {
    name: 'approval',
    agents: both,
    steps: [begin, { say: 'May I? ', calls: ['deploy1'] }, end],
    at: 'waiting',
    verdict: 'approve',
  },
  {
    name: 'approval-denied',
    agents: both,
    steps: [begin, { say: 'May I? ', calls: ['deploy1'] }, end],
    at: 'waiting',
    verdict: 'reject',
    fails: ['deploy1'],
    times: { deploy1: 0 },
  },
  {
    name: 'question',
    agents: ['worker'],
    steps: [begin, { say: 'May I? ', ask: 'go' }, end],
    at: 'waiting',
    verdict: 'approve',
  },
  {
    name: 'answered',
    agents: both,
    steps: [begin, { say: 'May I? ', calls: ['deploy1'] }, end],
    at: 'answered',
    verdict: 'approve',
    unknown: 'approve',
    times: { deploy1: NaN },
  },
  {
    name: 'approved',
    agents: both,
    steps: [begin, { say: 'May I? ', calls: ['deploy1'] }, end],
    at: 'deploy1.during',
    verdict: 'approve',
    unknown: 'approve',
    questions: 1,
    times: { deploy1: 2 },
  },
  {
    name: 'approved-denied',
    agents: both,
    steps: [begin, { say: 'May I? ', calls: ['deploy1'] }, end],
    at: 'deploy1.done',
    verdict: 'approve',
    unknown: 'reject',
    questions: 1,
    fails: ['deploy1'],
  },
  { name: 'sleeps', agents: ['worker'], steps: [begin, { say: 'I nap. ', sleepMs: 3_000 }, end], at: 'waiting' },
  { name: 'signal', agents: ['worker'], steps: [begin, { say: 'I wait. ', waitFor: 'go' }, end], at: 'waiting' },
  {
    name: 'expires',
    agents: both,
    steps: [begin, { say: 'May I? ', calls: ['lapse1'] }, end],
    at: 'waiting',
    verdict: null,
    times: { lapse1: 0 },
  },
  {
    name: 'last',
    agents: ['thinker'],
    steps: [begin, { say: 'I put. ', calls: ['put1'] }, end],
    at: 'think-2.done',
    times: { 'think-2': 2 },
  },
  { name: 'last', agents: ['worker'], steps: [begin, { say: 'I step. ', step: 'look' }, end], at: 'end' },
  {
    name: 'between',
    agents: ['worker'],
    steps: [
      begin,
      { say: 'I step. ', step: 'look' },
      { say: 'I pay. ', calls: ['pay1'] },
      { say: 'I step. ', step: 'tidy' },
      end,
    ],
    at: 'before-3',
  },
  {
    name: 'middleware',
    agents: ['thinker'],
    steps: [begin, { say: 'Again. ', calls: ['read2'] }, end],
    isGuided: true,
    at: 'before-read2.during',
    times: { 'before-read2': 2 },
  },
  {
    name: 'middleware-decided',
    agents: ['thinker'],
    steps: [begin, { say: 'Again. ', calls: ['read2'] }, end],
    isGuided: true,
    at: 'read2.during',
    times: { read2: 2 },
  },
  {
    name: 'middleware-answer',
    agents: ['thinker'],
    steps: [begin, end],
    isGuided: true,
    at: 'answer.during',
    times: { answer: 2 },
  },
  {
    name: 'once',
    agents: ['thinker'],
    steps: [begin, { say: 'May I? ', calls: ['grant1'] }, { say: 'Again. ', calls: ['grant2'] }, end],
    at: 'grant2.during',
    times: { grant2: 2 },
    asks: 1,
  },
  {
    name: 'child',
    agents: ['thinker'],
    steps: [begin, { say: 'You do it. ', calls: ['help1'] }, end],
    isInChild: true,
    at: 'read1.during',
    times: { read1: 2 },
  },
  {
    name: 'memory',
    agents: ['worker'],
    steps: [begin, { say: 'I would keep it. ', propose: 'lesson' }, end],
    at: 'decided',
  },
  {
    name: 'step',
    agents: ['worker'],
    steps: [begin, { say: 'I step. ', step: 'look' }, { say: 'I step. ', step: 'tidy' }, end],
    at: 'tidy.during',
    times: { tidy: 2 },
  },
]
