import { randomUUID } from 'node:crypto'
import { FabricError } from '@bridle/client/http/error'
import type { FabricClient } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import type { QuestionRequest } from '@bridle/events/questions'
import { approvalQuestions, type QuestionPlace } from '../approvals/approval-questions.ts'
import { withWholeApproval } from '../approvals/child-approval.ts'
import { answerAdvice, headlessQuestions, OpenQuestionError } from '../approvals/headless-questions.ts'
import {
  checkPreparedFlags,
  type PreparedAnswers,
  preparedOptions,
  readPreparedAnswers,
} from '../approvals/prepared-answers.ts'
import { clientOptions, defineCommand, EXIT_CODES, ExitError, outputOptions, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { agentsOptions, dataOptions } from '../command/setting-flags.ts'
import { type ClientFlags, createClient, namedUrl, repeatedFlags } from '../config/settings.ts'
import { refusalText } from '../errors/refusal-text.ts'
import { awayRemarks } from '../runs/away-remarks.ts'
import { startInBackground } from '../runs/background-run.ts'
import { type LeftRunState, leaveRun } from '../runs/leaving.ts'
import { asRemoval } from '../runs/missing-session.ts'
import { modelOptions } from '../runs/model-option.ts'
import { conflictError, earlierRun, exitCodeOf, onceOptions, sayOutcome, workName } from '../runs/once.ts'
import { type PauseWatch, pauseWatch } from '../runs/pause-watch.ts'
import { type RunInputFlags, type RunPayload, readRunInput } from '../runs/run-input.ts'
import { runToEnd } from '../runs/run-to-end.ts'
import { connectOrStart, type ServerConnection } from '../runs/server-connection.ts'
import { changesNote, workspaceNote } from '../runs/workspace-note.ts'
import { checkLocalFolder, readWorkspace, workspaceOptions } from '../runs/workspace-option.ts'
import { sharedId } from '../session-ids/session-flags.ts'
import { endLine, type PrintableEvent } from '../terminal/event-printer.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'
import type { CliOutput } from '../terminal/output.ts'
import { withWorkingLine } from '../terminal/working-line.ts'

export const run = defineCommand({
  options: {
    id: { type: 'string', value: 'SESSION', help: 'the session to go on with; else a new one' },
    payload: { type: 'string', value: 'JSON', help: 'the input, an object' },
    'payload-file': { type: 'string', value: 'FILE', help: 'the same from a file' },
    stdin: { type: 'boolean', help: 'the same from standard input' },
    set: { type: 'string', multiple: true, value: 'KEY=VALUE', help: 'one field of the input; JSON, else a text' },
    ...modelOptions,
    ...onceOptions,
    ...preparedOptions,
    background: { type: 'boolean', help: 'start it as background work, print its session, and leave' },
    ...workspaceOptions,
    ...clientOptions,
    ...agentsOptions,
    ...dataOptions,
    ...outputOptions,
  },
  notes: `Later ones win: --payload, --payload-file, --stdin, --set, the prompt. Without a server it runs one of its own. With --once or
--idempotency-key a second call prints the outcome of the first, and does no work.
Ctrl+C leaves, and the run continues; Ctrl+C again within 2 seconds cancels it.
Without a terminal a question ends the command with the call that answers it, unless --answer or --answers has the answer.

Exit code: 0 completed, 1 failed, 2 usage, 3 cancelled or waiting for an answer, 130 left by Ctrl+C.`,
  run: async ({ args, flags, env, out }) => {
    const [agent = '', prompt] = args
    checkPreparedFlags(flags)
    const input = await readRunInput(prompt, flags)
    const prepared = await readPreparedAnswers(flags)
    const workspace = readWorkspace(flags, env)
    checkLocalFolder(workspace, namedUrl(flags, env))
    const serverFlags = repeatedFlags(flags)
    const work = { agent, input, workspace }
    const { id: namedId, key } = workName(flags, work)
    if (flags.background) {
      const fabric = await createClient(flags, env, undefined, workspace ? { answerMs: null } : {})
      return startInBackground(fabric, { ...work, id: namedId, key, serverFlags }, out, env).catch((error: unknown) => {
        throw conflictError(error, namedId, flags)
      })
    }
    const id = namedId ?? `${agent}-${randomUUID()}`
    const { signal, isTerminated, dispose } = listenForInterrupt()
    const connection = await connectOrStart(flags, env, out).catch((error: unknown) => {
      dispose()
      throw error
    })
    let accepted: string | null = null
    let agentFlag = ''
    const nextFlags = () => agentFlag + serverFlags
    const { fabric, plain } = connection
    const pause = pauseWatch(() => `${commandName(env)} resume ${id}${nextFlags()}`)
    const sayWhat = `Say what to do: ${commandName(env)} run ${agent} "Hello", or use --payload or --set.`
    const card = () => plain.session(id, agent).catch(() => null)
    const headless = headlessQuestions({
      ...{ fabric: plain, id, agent, prepared, waits: flags.wait ?? false },
      howToAnswer: (approvalId, commandAt) =>
        answerAdvice(connection, { command: commandName(env), id, approvalId, nextFlags: nextFlags() }, commandAt),
    })
    let display: RunDisplay
    const onAccepted = async (runId: string) => {
      accepted = runId
      // Only now, because a refused session does not exist.
      out.note(`${agent}, session ${id}`)
      if (flags.id !== undefined) {
        const shared = await sharedId(plain, { id, agent })
        agentFlag = shared.agentFlag
        if (shared.remark !== null) out.note(shared.remark)
      }
      if (out.isJson) return
      const known = await card()
      const note = workspace ? workspaceNote(known ?? { id }) : null
      if (note !== null) out.note(note)
      pause.readStatus(known?.status)
      if (pause.isPaused) display.onPause?.()
    }
    try {
      if (hasNoInput(prompt, flags) && (await readsPrompts(fabric, agent))) throw usageError(sayWhat)
      const shown = out.isJson
        ? { onEvent: out.row }
        : terminalDisplay(connection, out, signal, { id, agent, env, nextFlags, pause, prepared })
      const onEvent = async (received: PrintableEvent) => {
        const event = await withWholeApproval(plain, received)
        shown.onEvent(event)
        if (!out.canAsk) await headless(event)
      }
      display = { ...shown, onEvent }
      const end = await runToEnd({
        ...connection,
        agent,
        id,
        input,
        workspace,
        key,
        signal,
        onAccepted,
        ...display,
      })
        .catch(async (error: unknown) => {
          const earlier = await earlierRun(plain, work, { id, key, error })
          if (!out.isJson) sayOutcome(out, earlier, `${commandName(env)} attach ${id}${nextFlags()}`)
          return earlier
        })
        .finally(display.finish)
      const { status } = end
      if (out.isJson) out.row({ type: 'outcome', sessionId: id, agent, ...end, ...prepared.unusedFields })
      else out.note(`${status}, session ${id}`)
      if (prepared.unusedText !== null) out.note(prepared.unusedText)
      if (!out.isJson && connection.ownData === null && end.error?.reason === null) out.note(THROWN)
      const takeOver =
        workspace && !out.isJson ? await changesNote(plain, { id, agent }, serverFlags).catch(() => null) : null
      if (takeOver !== null) out.note(takeOver)
      return exitCodeOf(status)
    } catch (error) {
      if (error instanceof OpenQuestionError) {
        const { approvalId, command } = error
        const open = { runId: accepted, status: 'awaiting_approval', approvalId, command }
        if (out.isJson) out.row({ type: 'outcome', sessionId: id, agent, ...open, ...prepared.unusedFields })
        if (prepared.unusedText !== null) out.note(prepared.unusedText)
        throw error
      }
      if (!signal.aborted)
        throw accepted === null ? withPromptHint(conflictError(error, id, flags), input, sayWhat) : asRemoval(error, id)
      if (accepted === null) throw new ExitError(EXIT_CODES.interrupted, `Left before the server took the run.`)
      const run = { id, agent, runId: accepted }
      const state = isTerminated() ? 'continues' : await leaveRun(out, connection.plain, run)
      if (state === 'cancelled') return EXIT_CODES.cancelled
      const words = state === 'continues' && pause.isPaused ? 'paused' : state
      throw new ExitError(EXIT_CODES.interrupted, farewell(connection, id + agentFlag, words, commandName(env), flags))
    } finally {
      await connection.close()
      dispose()
    }
  },
})

/** The caller may be anyone and gets no stack. A server in this process has printed it. */
const THROWN = 'If the agent threw, the output of the server has the place in its file.'

const hasNoInput = (prompt: string | undefined, flags: RunInputFlags): boolean =>
  [prompt, flags.payload, flags['payload-file'], flags.stdin, flags.set].every((each) => each === undefined)

/** An agent with its own input schema may not need a prompt. */
const readsPrompts = async (fabric: FabricClient, agent: string): Promise<boolean> => {
  const { agents } = await fabric.agents().catch(() => ({ agents: [] }))
  const { required } = agents.find(({ name }) => name === agent)?.input_schema ?? {}
  return Array.isArray(required) && required.includes('prompt')
}

/** If the server refuses an empty input, the prompt is usually missing. */
const withPromptHint = (error: unknown, input: RunPayload, sayWhat: string): unknown =>
  error instanceof FabricError && error.status === 400 && Object.keys(input).length === 0
    ? usageError(`${refusalText(error)} ${sayWhat}`)
    : error

const farewell = (
  { ownData }: ServerConnection,
  session: string,
  state: Exclude<LeftRunState, 'cancelled'> | 'paused',
  command: string,
  flags: ClientFlags,
): string => {
  if (ownData === null) {
    const named = `${session}${repeatedFlags(flags)}`
    const words = state === 'paused' ? pausedWords(`${command} resume ${named}`) : LEFT_WORDS[state]
    return `Left. ${words} with ${command} attach ${named}`
  }
  const { data, tenant } = flags
  const start = `${command} start${repeatedFlags(present({ data }))}`
  const attach = `${command} attach ${session}${repeatedFlags(present({ data, tenant }))}`
  return `Left, and the server of this run with it. The session is kept in ${ownData}: ${start}, then ${attach}`
}

const pausedWords = (resume: string): string => `The session is paused: ${resume} goes on. Watch it`

const LEFT_WORDS = {
  continues: 'The run continues; watch it',
  ended: 'The run has ended; see it',
  unknown: 'The server does not say whether the run continues; look',
} as const

interface RunDisplay {
  readonly onEvent: (event: PrintableEvent) => void | Promise<void>
  readonly onDisconnect?: (cause: FabricError) => void
  readonly onReconnect?: () => void
  /** The session was already paused when it accepted the prompt. */
  readonly onPause?: () => void
  readonly finish?: () => Promise<void>
}

const terminalDisplay = (
  { fabric }: ServerConnection,
  given: CliOutput,
  interrupted: AbortSignal,
  {
    id,
    agent,
    env,
    nextFlags,
    pause,
    prepared,
  }: Pick<QuestionPlace, 'id' | 'env' | 'nextFlags'> & {
    readonly agent: string
    readonly pause: PauseWatch
    readonly prepared: PreparedAnswers
  },
): RunDisplay => {
  const { out, stop } = withWorkingLine(given, {
    words: () => (pause.isPaused ? pause.words() : `waiting for ${agent}`),
  })
  const printing = { withPrompts: false, withHints: !out.canAsk }
  const takePrepared = (request: QuestionRequest) => prepared.take(request)
  const questions = approvalQuestions({ fabric, out, printing, env, id, agent, nextFlags, takePrepared })
  const { printer } = questions
  const away = awayRemarks(questions.remark)

  return {
    onEvent: (event) => {
      pause.read(event)
      questions.show(event)
    },
    // On a terminal, the working line says it.
    onPause: () => {
      if (!out.canAsk) printer.print({ type: 'notice', sessionId: id, data: { message: pause.words() } })
    },
    onDisconnect: away.onRetry,
    onReconnect: away.onOpen,
    finish: async () => {
      const isWiped = stop()
      if (interrupted.aborted && !isWiped) endLine(out, printer)
      else printer.freshLine()
      await questions.close()
    },
  }
}
