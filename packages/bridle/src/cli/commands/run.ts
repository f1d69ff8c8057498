// `bridle run` submits a prompt and shows the run live until it ends.
import { randomUUID } from 'node:crypto'
import { FabricError } from '../../client/fabric/error.ts'
import { askApproval } from '../approvals/approval-question.ts'
import { clientOptions, dataOptions, defineCommand, EXIT_CODES, ExitError, outputOptions } from '../command.ts'
import { cancelOnSecondInterrupt } from '../runs/leaving.ts'
import { readRunInput } from '../runs/run-input.ts'
import { runToEnd } from '../runs/run-to-end.ts'
import { connectOrStart, type ServerConnection } from '../runs/server-connection.ts'
import { createEventPrinter, type EventPrinter, endLine, type PrintableEvent } from '../terminal/event-printer.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'
import type { CliOutput } from '../terminal/output.ts'

export const run = defineCommand({
  options: {
    id: { type: 'string', value: 'SESSION', help: 'the session to go on with; else a new one' },
    payload: { type: 'string', value: 'JSON', help: 'the input, an object' },
    'payload-file': { type: 'string', value: 'FILE', help: 'the same from a file' },
    stdin: { type: 'boolean', help: 'the same from standard input' },
    set: { type: 'string', multiple: true, value: 'KEY=VALUE', help: 'one field of the input; JSON, else a text' },
    ...clientOptions,
    ...dataOptions,
    ...outputOptions,
  },
  notes: `Later ones win: --payload, --payload-file, --stdin, --set, the prompt. Without a server it runs one of its own.
Ctrl+C leaves, and the run continues; Ctrl+C again within 2 seconds cancels it.
Exit code: 0 completed, 1 failed, 2 usage, 3 cancelled, 130 left by Ctrl+C.`,
  run: async ({ args, flags, env, out }) => {
    const [agent = '', prompt] = args
    const input = await readRunInput(prompt, flags)
    const id = flags.id ?? `${agent}-${randomUUID()}`
    const { signal, isTerminated, dispose } = listenForInterrupt()
    const connection = await connectOrStart(flags, env, out)
    let accepted: string | null = null
    const onAccepted = (runId: string) => {
      accepted = runId
      // Only now: a session that the server refuses never comes to exist.
      out.note(`${agent}, session ${id}`)
    }
    try {
      const display = out.isJson ? jsonDisplay(out) : terminalDisplay(connection, out, signal, { id, agent, env })
      const end = await runToEnd({ ...connection, agent, id, input, signal, onAccepted, ...display }).finally(
        display.finish,
      )
      const { status } = end
      if (out.isJson) out.row({ type: 'outcome', sessionId: id, agent, ...end })
      else out.note(`${status}, session ${id}`)
      return status === 'completed' ? EXIT_CODES.ok : status === 'cancelled' ? EXIT_CODES.cancelled : EXIT_CODES.failed
    } catch (error) {
      if (!signal.aborted) throw Object.keys(input).length === 0 ? withPromptHint(error, agent) : error
      if (accepted === null) throw new ExitError(EXIT_CODES.interrupted, `Left before the server took the run.`)
      const run = { id, agent, runId: accepted }
      if (!isTerminated() && (await cancelOnSecondInterrupt(out, connection.fabric, run))) return EXIT_CODES.cancelled
      throw new ExitError(EXIT_CODES.interrupted, farewell(connection, id))
    } finally {
      await connection.close()
      dispose()
    }
  },
})

/** Some agents run without an input. Where the server refuses it, the person most likely forgot the prompt. */
const withPromptHint = (error: unknown, agent: string): unknown =>
  error instanceof FabricError && error.status === 400
    ? new ExitError(EXIT_CODES.usage, `${error.message} Try bridle run ${agent} "Hello"`)
    : error

const farewell = ({ ownData }: ServerConnection, id: string): string =>
  ownData === null
    ? `Left. The run continues; watch it with bridle attach ${id}`
    : `Left, and the server of this run with it. The session is kept in ${ownData}: bridle start, then bridle attach ${id}`

interface RunDisplay {
  readonly onEvent: (event: PrintableEvent) => void
  readonly onDisconnect: () => void
  /** Withdraws open questions; resolves when the terminal is free. */
  readonly finish: () => Promise<void>
}

const jsonDisplay = (out: CliOutput): RunDisplay => ({
  onEvent: out.row,
  onDisconnect: () => {},
  finish: async () => {},
})

/** Shows events, and asks about approvals when a person is at the terminal. */
const terminalDisplay = (
  { fabric }: ServerConnection,
  out: CliOutput,
  interrupted: AbortSignal,
  { id, agent, env }: { id: string; agent: string; env: NodeJS.ProcessEnv },
): RunDisplay => {
  const printer = createEventPrinter(out, { withPrompts: false, withHints: !out.canAsk })
  const open = new Map<string, AbortController>()
  let questions = Promise.resolve()
  let isAwayShown = false

  const ask = async ({ data }: PrintableEvent, { signal }: AbortController): Promise<void> => {
    const approvalId = String(data.approvalId)
    const request = { subject: data.subject, args: data.args, reason: data.reason }
    while (!signal.aborted) {
      printer.freshLine()
      const answer = await askApproval(out, request, env, signal)
      if (answer === null) return signal.aborted ? undefined : noteOpenApproval(out, id, approvalId)
      const { decision, ...edited } = answer
      const sent = (decision === 'approved' ? fabric.approve : fabric.reject)(id, approvalId, { ...edited, agent })
      const error = await sent.then(
        () => null,
        (reason: Error) => reason,
      )
      if (error === null) return
      out.note(error.message)
      // Arguments that the server refuses leave the approval open: ask again.
      if (!(error instanceof FabricError) || error.status !== 400) return
    }
  }

  return {
    onEvent: (event) => {
      isAwayShown = false
      const approvalId = String(event.data.approvalId)
      if (event.type === 'approval_resolved') withdraw(open, approvalId, printer, out)
      // A question prints its approval when it is asked.
      if (event.type !== 'approval_requested' || !out.canAsk) return printer.print(event)
      const question = new AbortController()
      open.set(approvalId, question)
      questions = questions.then(() => ask(event, question)).finally(() => open.delete(approvalId))
    },
    onDisconnect: () => {
      if (isAwayShown) return
      isAwayShown = true
      printer.freshLine()
      out.note('The server is away; waiting for it.')
    },
    finish: async () => {
      if (interrupted.aborted) endLine(out, printer)
      else printer.freshLine()
      for (const question of open.values()) question.abort()
      await questions
    },
  }
}

/** Withdraws a question that another person has answered, and ends its line. */
const withdraw = (
  open: Map<string, AbortController>,
  approvalId: string,
  printer: EventPrinter,
  out: CliOutput,
): void => {
  const question = open.get(approvalId)
  if (!question) return
  question.abort()
  printer.freshLine()
  out.write('\n')
}

const noteOpenApproval = (out: CliOutput, id: string, approvalId: string): void => {
  out.write('\n')
  out.note(`Left open; answer with bridle approve ${id} ${approvalId}, or reject.`)
}
