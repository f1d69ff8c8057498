import { relative } from 'node:path'
import type { QuestionRequest } from '@bridle/events/questions'
import { thrownText } from '@bridle/kernel/text/thrown-text'
import { codeFrame } from '@bridle/server/agents/code-frame'
import { projectFrames, type StackFrame } from '@bridle/server/agents/stack-frames'
import type { AgentFailure, AgentFileChange, RunUpdate } from '@bridle/server/node/index'
import { costText, durationText } from '@bridle/words/index'
import type { WaitingApprovals } from '../approvals/waiting-approvals.ts'
import { answerCommand } from './answer-command.ts'
import { requestOf } from './answer-fields.ts'
import { cutToColumns, displayWidth } from './display-width.ts'
import { type CliOutput, escapeControls, type TextStyle } from './output.ts'
import { requestSummary } from './question-text.ts'
import { behindLabel, escapeInvisible, wrapWords } from './text-lines.ts'

/** Limits the chain of causes, which may be circular. */
const CAUSES_MAX = 5
/** Approvals listed at start. Others are only counted. */
const WAITING_APPROVALS_MAX = 5
/** Two terminal lines. `approvals` shows the complete question. */
const QUESTION_COLUMNS_MAX = 160

interface ApprovalWords {
  readonly subject: string
  readonly question: QuestionRequest | null
}

export interface DevLines {
  readonly run: (update: RunUpdate) => void | Promise<void>
  readonly files: (changes: readonly AgentFileChange[]) => void
  /** `isCurrent`: the file is unchanged since it was loaded. */
  readonly failure: (failure: AgentFailure, isCurrent?: (path: string) => boolean) => void
  readonly waiting: (waiting: WaitingApprovals) => Promise<void>
}

export interface DevLinesOptions {
  readonly root: string
  readonly command: string
  /** The flag with which commands find this server, with a leading space. Empty if not needed. */
  readonly addressFlag?: () => string
  readonly agentFlagOf?: (session: { readonly id: string; readonly agent: string }) => Promise<string>
}

export const devLines = (
  out: CliOutput,
  { root, command, addressFlag = () => '', agentFlagOf = async () => '' }: DevLinesOptions,
): DevLines => {
  const named = new Set<string>()
  const marked = (mark: string, format: TextStyle, text: string) => {
    const parts = escapeControls(text)
      .split('\n')
      .flatMap((each) => wrapWords(each, out.width - 2))
    for (const part of behindLabel(`${out.style(format, mark)} `, parts, 2)) out.line(part)
  }
  const dim = (text: string) => {
    for (const part of behindLabel('… ', wrapWords(escapeControls(text), out.width - 2)))
      out.line(out.style('dim', part))
  }
  /** Keeps the command on one line, so that it can be copied. */
  const withCommand = (text: string, typed: string) => {
    const isShort = displayWidth(`  ${text}: ${typed}`) <= out.width
    marked('?', 'yellow', isShort ? `${text}: ${typed}` : `${text}:`)
    if (!isShort) out.line(`  ${escapeControls(typed)}`)
  }
  const approval = async (agent: string, session: string, id: string, what: ApprovalWords): Promise<void> => {
    const { subject, question } = what
    named.add(`${agent} ${session} ${id}`)
    const nextFlags = (await agentFlagOf({ id: session, agent })) + addressFlag()
    if (question === null)
      return withCommand(
        `${agent}  ${session}  waits for approval of ${subject}`,
        `${command} approve ${session} ${id}${nextFlags}`,
      )
    const asked = cutToColumns(escapeInvisible(requestSummary(question)), QUESTION_COLUMNS_MAX)
    const place = { command, id: session, approvalId: id, nextFlags }
    withCommand(`${agent}  ${session}  asks ${asked}`, answerCommand(place, question))
  }

  return {
    run: (update) => {
      const { key } = update
      const who = `${key.agent}  ${key.id}`
      if (update.type === 'notice') return dim(`${who}  ${update.message}`)
      if (update.type === 'approval') {
        const { approvalId, subject, question = null } = update
        return approval(key.agent, key.id, approvalId, { subject, question })
      }
      const { outcome, message } = update
      const [mark, format] = MARKS[outcome]
      marked(mark, format, `${who}  ${outcome}${message === null ? '' : `: ${message}`}${timeAndCost(update)}`)
    },

    waiting: async ({ approvals, hasMore }) => {
      const open = approvals.filter(({ agent, sessionId, id }) => !named.has(`${agent} ${sessionId} ${id}`))
      for (const each of open.slice(0, WAITING_APPROVALS_MAX))
        await approval(each.agent, each.sessionId, each.id, { subject: each.toolName, question: requestOf(each) })
      const more = open.length - WAITING_APPROVALS_MAX
      if (more > 0)
        marked('?', 'yellow', `${hasMore ? 'more than ' : ''}${more} more: ${command} approvals${addressFlag()}`)
    },

    files: (changes) => {
      for (const { file, from, name, state, problem = '', frame } of changes) {
        if (state === 'broken') marked('✗', 'red', `${file} is not available: ${problem}`)
        else if (state === 'renamed') marked('↻', 'cyan', `${from} is now ${file}: agent ${name}`)
        else marked('↻', 'cyan', `${file} ${FILE_WORDS[state](name)}`)
        if (frame !== undefined) for (const line of frame.split('\n')) out.line(`  ${escapeControls(line)}`)
      }
    },

    failure: ({ key, runId, error, tool }, isCurrent = () => true) => {
      const where = `session ${key.id}, run ${runId}`
      marked(
        '✗',
        'red',
        tool === null ? `${key.agent} threw, ${where}` : `${key.agent}: the tool ${tool} threw, ${where}`,
      )
      marked(' ', 'red', error instanceof Error ? `${error.name}: ${error.message}` : `threw ${thrownText(error)}`)
      const frames = framesOf(error, root)
      for (const { name, path, line, column } of frames) {
        const place = `${relative(root, path)}:${line}:${column}`
        out.line(out.style('dim', escapeControls(name === null ? `    at ${place}` : `    at ${name} (${place})`)))
      }
      // A changed file has other lines at this position.
      const [first] = frames
      if (!first || !isCurrent(first.path)) return
      // Truncate, because one line may be a whole bundle.
      const frame = codeFrame(first, Number.isFinite(out.width) ? out.width - 2 : undefined)
      for (const line of frame?.split('\n') ?? []) out.line(`  ${escapeControls(line)}`)
    },
  }
}

const MARKS = {
  completed: ['✓', 'green'],
  failed: ['✗', 'red'],
  cancelled: ['✗', 'yellow'],
} as const

const FILE_WORDS = {
  added: (name: string) => `is new: agent ${name}`,
  changed: () => 'changed; runs that start now use it',
  mended: (name: string) => `works now: agent ${name}`,
  removed: (name: string) => `is gone, and with it the agent ${name}`,
  dropped: () => 'is gone',
} as const

const timeAndCost = ({ outcome, ms, costUsd }: RunUpdate & { type: 'end' }): string => {
  const cost = costUsd === null ? '' : `, ${costText(costUsd)}`
  if (ms === null) return cost
  const time = durationText(ms)
  return outcome === 'completed' ? ` in ${time}${cost}` : ` (${time}${cost})`
}

/** Frames of the innermost cause that has any, because errors of steps are wrapped for the log. */
const framesOf = (error: unknown, root: string): readonly StackFrame[] => {
  let found: readonly StackFrame[] = []
  for (let at = 0, each = error; each instanceof Error && at < CAUSES_MAX; at++, each = each.cause) {
    const frames = projectFrames(each, root)
    if (frames.length > 0) found = frames
  }
  return found
}
