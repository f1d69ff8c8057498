import { isJsonObject } from '@bridle/events/json'
import { byActor, bytesText, eventText } from '@bridle/words/index'
import { commandName } from '../command/command-name.ts'
import { LAST_WORDS_CHARS } from '../command/limits.ts'
import { answerCommand, childCommand } from './answer-command.ts'
import { cutApproval, requestOf } from './answer-fields.ts'
import { approvalLines, childLines, cutLines } from './approval-text.ts'
import { decisionText, inlineValue, outcomeText, pathArgument, restartText } from './conversation-text.ts'
import { displayWidth, endInColumns } from './display-width.ts'
import { type CliOutput, escapeControls, type TextStyle, truncateLine } from './output.ts'
import { requestLines, settledLines } from './question-text.ts'
import { behindLabel, wrapWords } from './text-lines.ts'
import { createWordFlow } from './word-flow.ts'

export interface PrintableEvent {
  readonly type: string
  readonly sessionId: string
  readonly data: { readonly [name: string]: unknown }
}

export interface EventPrinterOptions {
  /** Shows prompts, because the watching user has not typed them. */
  readonly withPrompts: boolean
  readonly withHints: boolean
  /** Shows when a run completes, because someone watching a session sees several. */
  readonly withEnds?: boolean
  readonly command?: string
  readonly nextFlags?: () => string
  readonly isAnswered?: (approvalId: string) => boolean
  /** True if this terminal asked but the answer came from elsewhere. */
  readonly isElsewhere?: (approvalId: string) => boolean
  readonly isQuestion?: (approvalId: string) => boolean
}

export interface EventPrinter {
  readonly print: (event: PrintableEvent) => void
  /** Ends the open line. False if none is open. */
  readonly freshLine: () => boolean
}

export const createEventPrinter = (out: CliOutput, options: EventPrinterOptions): EventPrinter => {
  const {
    withPrompts,
    withHints,
    withEnds = false,
    command = commandName(),
    nextFlags = () => '',
    isAnswered = () => false,
    isElsewhere = () => false,
    isQuestion = () => false,
  } = options
  let open: 'text' | 'thinking' | null = null
  let streamed = ''
  /** Length of the text before the newest tool call. Many agents' result is the text after it. */
  let beforeCall = 0
  const questions = new Set<string>()
  /** The line of the newest answer. */
  let answered = ''
  /** The run has its result, but its end is not printed yet. */
  let isCompleted = false
  /** The newest run, or null after attaching in the middle of it. */
  let newestRun: unknown = null
  // Pipes get the text unwrapped.
  const flow = out.canAsk ? createWordFlow(() => out.width) : null
  /** False after attaching mid-turn, when the start of the answer is unknown. */
  let isWhole = false

  const freshLine = (): boolean => {
    if (open === null) return false
    out.write('\n')
    flow?.startLine()
    open = null
    return true
  }
  const stream = (kind: 'text' | 'thinking', delta: string) => {
    if (open !== kind) freshLine()
    const text = escapeControls(delta)
    const written = flow?.push(text) ?? text
    out.write(kind === 'thinking' ? out.style(['dim', 'italic'], written) : written)
    open = text === '' ? open : text.endsWith('\n') ? null : kind
  }
  const line = (mark: string, format: TextStyle, text: string) => {
    freshLine()
    out.line(`${out.style(format, mark)} ${truncateLine(text, out.width - 2)}`)
  }

  const whole = (mark: string, format: TextStyle, text: string) => {
    freshLine()
    const shown = escapeControls(text.trim().replaceAll('\t', '  '))
    const parts = shown.split(/\r?\n/).flatMap((each) => wrapWords(each, out.width - 2))
    for (const part of behindLabel(`${out.style(format, mark)} `, parts, 2)) out.line(part)
  }

  /** A remark that is not part of the answer. */
  const dimLines = (text: string) => {
    freshLine()
    const parts = wrapWords(escapeControls(text.trim()), out.width - 2)
    for (const part of behindLabel('… ', parts)) out.line(out.style('dim', part))
  }

  /** The call was approved with edited arguments. Shows them like the original ones. */
  const changedCall = (words: string, args: unknown, reason: unknown) => {
    freshLine()
    const subject = `${words}, ${inlineValue(args) === '' ? 'without arguments' : 'as'}`
    approvalLines({ subject, args, reason }, out.width, out.style, out.style('green', '✓')).forEach(out.line)
  }

  /** Checkpoints and artifacts come between a run's result and its end. */
  const endRun = () => {
    freshLine()
    if (withEnds && isCompleted) line('✓', 'green', 'completed')
    isCompleted = false
  }

  const lines: { readonly [type: string]: (data: PrintableEvent['data'], sessionId: string) => void } = {
    prompt_start: ({ text, runId }) => {
      // Between two queued runs there is no `idle`.
      endRun()
      newestRun = runId
      streamed = ''
      beforeCall = 0
      isWhole = true
      if (withPrompts) line('›', ['bold', 'cyan'], String(text))
    },
    text_delta: ({ delta }) => {
      streamed += String(delta)
      stream('text', String(delta))
    },
    thinking_delta: ({ delta }) => stream('thinking', String(delta)),
    text_superseded: ({ chars }) => {
      const kept = streamed.slice(0, Number(chars))
      if (isWhole && kept === streamed) return
      streamed = kept
      beforeCall = Math.min(beforeCall, kept.length)
      if (!isWhole) line('↺', 'yellow', 'The end of the answer is withdrawn; it goes on:')
      else line('↺', 'yellow', restartText(lastWords(kept)))
    },
    tool_start: ({ toolName, args }) => {
      beforeCall = streamed.length
      const call = asksPerson(args) ? String(toolName) : `${toolName} ${inlineValue(args)}`
      const path = pathArgument(args)
      const room = out.width - 2 - displayWidth(`${toolName} `)
      const isCut = displayWidth(call) > out.width - 2
      line('●', 'blue', isCut && path !== null ? `${toolName} ${endInColumns(path, room)}` : call)
    },
    tool_end: ({ toolName, isError, result, outcome }) => {
      // A denied call ends with the words of its answer.
      if (isError && `${toolName} ${inlineValue(result)}` === answered) return
      const facts = outcomeText(outcome)
      const text = `${toolName}${facts === '' ? '' : ` (${facts})`} ${inlineValue(result)}`
      if (isError) whole('✗', 'red', text)
      else line('✓', 'green', text)
    },
    task_start: ({ taskId, status }) => line('▸', 'blue', `${taskId} ${status}`),
    task_end: ({ taskId, status, isError }) => line('▸', isError ? 'red' : 'green', `${taskId} ${status}`),
    approval_requested: (data, session) => {
      const { subject, args, reason, child } = data
      const approvalId = String(data.approvalId)
      const request = requestOf(data)
      freshLine()
      if (request === null) approvalLines({ subject, args, reason, child }, out.width, out.style).forEach(out.line)
      else {
        questions.add(approvalId)
        requestLines(request, reason, out.width, out.style).forEach(out.line)
        childLines(child, out.width).forEach(out.line)
      }
      const cut = cutApproval(data)
      if (cut !== null) cutLines(out.width).forEach(out.line)
      if (!withHints || isAnswered(approvalId)) return
      const flags = nextFlags()
      const act = (verb: string) => `${command} ${verb} ${escapeControls(`${session} ${approvalId}`)}${flags}`
      const place = { command, id: session, approvalId, nextFlags: flags }
      const answer =
        request !== null ? answerCommand(place, request) : cut !== null ? childCommand(place, cut) : act('approve')
      for (const hint of [answer, act('reject')]) out.line(out.style('dim', `  ${hint}`))
    },
    approval_resolved: (data) => {
      const { subject, decision, reason, args, answers, values } = data
      const approvalId = String(data.approvalId)
      const isApproved = decision === 'approved'
      const isAnswer = answers !== undefined || values !== undefined
      if (questions.delete(approvalId) || isQuestion(approvalId) || isAnswer) {
        answered = decisionText(subject, decision, false) + (reason ? `: ${reason}` : '')
        freshLine()
        const settled = { decision, reason, answers, values } as Parameters<typeof settledLines>[0]
        return settledLines(settled, isElsewhere(approvalId), out.width, out.style).forEach(out.line)
      }
      const words = decisionText(subject, decision, isElsewhere(approvalId))
      if (isApproved && args !== undefined) return changedCall(words, args, reason)
      const because = reason ? `: ${reason}` : ''
      answered = decisionText(subject, decision, false) + because
      whole(isApproved ? '✓' : '✗', isApproved ? 'green' : 'red', words + because)
    },
    compaction: ({ messagesBefore, messagesAfter }) =>
      line(
        '~',
        'dim',
        eventText('context_compacted', { original_count: messagesBefore, compacted_count: messagesAfter }),
      ),
    checkpoint_created: ({ checkpointType, summary }) => line('◆', 'dim', `${checkpointType} ${summary ?? ''}`),
    artifact_published: ({ name, contentType, size, artifactId, kind, reason }) => {
      const isProposal = kind === 'memory_proposal'
      const about = isProposal ? 'to remember: waits for a person' : `${contentType}, ${bytesText(Number(size))}`
      line('▣', 'magenta', `${name} (${about}) ${artifactId}${isProposal && reason ? `: ${reason}` : ''}`)
    },
    // Most results repeat the streamed text, its last paragraph, or the text after the last tool call. Print only different ones.
    result: ({ result }) => {
      freshLine()
      isCompleted = true
      const ending = streamed.slice(beforeCall).trim()
      const isShown =
        typeof result === 'string' &&
        (result === streamed || streamed.endsWith(`\n\n${result}`) || (ending !== '' && result.trim() === ending))
      if (result !== null && result !== undefined && !isShown) out.line(escapeControls(pretty(result)))
    },
    error: ({ message }) => whole('✗', 'red', String(message)),
    // A prompt dropped from the queue has the same event as a cancelled run.
    cancelled: ({ runId, actor, actorClaimed, reason }) => {
      newestRun ??= runId
      const end = runId === newestRun ? 'cancelled' : 'a prompt that waited was dropped'
      // Omit the kernel's default reason.
      const who = byActor(end, { actor, actor_claimed: actorClaimed })
      whole('✗', 'yellow', reason && reason !== 'cancelled' ? `${who}: ${reason}` : who)
    },
    waiting: ({ reason }) => dimLines(`waits: ${reason}`),
    notice: ({ message }) => dimLines(String(message)),
    operator_action: (data) => whole('·', 'dim', actionText(data)),
    idle: endRun,
    reset: () => line('!', 'yellow', 'The history is another one than before; from the start:'),
  }

  return {
    freshLine,
    print: ({ type, data, sessionId }) => {
      const printRaw = () => line('·', 'dim', `${type} ${inlineValue(data)}`)
      if (!Object.hasOwn(lines, type)) return printRaw()
      try {
        lines[type]?.(data, sessionId)
      } catch {
        // A malformed field may be an object without `toString`.
        printRaw()
      }
    },
  }
}

/** Arguments that ask a person, which are printed as questions. Engines may add their own fields within a question. */
const asksPerson = (args: unknown): boolean => {
  if (!isJsonObject(args)) return false
  const { questions, schema, ...more } = args
  if (Array.isArray(questions) && questions.length > 0)
    return questions.every((each) => isJsonObject(each) && typeof each.question === 'string')
  return isJsonObject(schema) && isJsonObject(schema.properties) && Object.keys(more).length === 0
}

/** Session events behind the actions of this wire. Unknown actions keep their names. */
const actionEvents: { readonly [action: string]: string } = {
  pause: 'session_paused',
  resume: 'session_resumed',
  branch: 'branched',
  import: 'session_imported',
  archive: 'session_archived',
  unarchive: 'session_unarchived',
  rename: 'session_renamed',
  policy: 'policy_set',
  signal: 'signal_received',
  memory: 'memory_decided',
}

const actionText = ({ action, actor, actorClaimed, reason, name, decision, from }: PrintableEvent['data']): string => {
  const type = Object.hasOwn(actionEvents, String(action)) ? actionEvents[String(action)] : undefined
  const more = { title: name, key: name, name, decision, parent: { id: from } }
  return eventText(type ?? String(action), { ...more, actor, actor_claimed: actorClaimed, reason })
}

const lastWords = (text: string): string => {
  const words = text.trim().replace(/\s+/g, ' ')
  return words.length <= LAST_WORDS_CHARS ? words : `…${words.slice(-LAST_WORDS_CHARS).toWellFormed()}`
}

/** Ends a line in which Ctrl+C may have printed `^C`. */
export const endLine = (out: CliOutput, printer: EventPrinter): void => {
  if (!printer.freshLine() && out.canAsk) out.write('\n')
}

const pretty = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))
