// `bridle run` submits a prompt and shows the run live until it ends.
import { randomUUID } from 'node:crypto'
import { FabricError } from '../../client/index.ts'
import { askApproval } from '../approvals/approval-question.ts'
import {
  agentsOptions,
  clientOptions,
  dataOptions,
  defineCommand,
  EXIT_CODES,
  ExitError,
  outputOptions,
} from '../command.ts'
import { isLocalUrl, serverUrl } from '../config/settings.ts'
import { readRunInput } from '../runs/run-input.ts'
import { runToEnd } from '../runs/run-to-end.ts'
import { connectOrStart, type ServerConnection } from '../runs/server-connection.ts'
import { takeOverNote, workspaceNote } from '../runs/workspace-note.ts'
import { checkLocalFolder, readWorkspace, workspaceOptions } from '../runs/workspace-option.ts'
import { createEventPrinter, type EventPrinter, endLine, type PrintableEvent } from '../terminal/event-printer.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'
import type { CliOutput } from '../terminal/output.ts'

export const run = defineCommand({
  summary: 'run an agent and watch it',
  argumentNames: ['<agent>', '[prompt]'],
  options: {
    id: { type: 'string', value: 'SESSION', help: 'the session to go on with; else a new one' },
    payload: { type: 'string', value: 'JSON', help: 'the input, an object' },
    'payload-file': { type: 'string', value: 'FILE', help: 'the same from a file' },
    stdin: { type: 'boolean', help: 'the same from standard input' },
    set: { type: 'string', multiple: true, value: 'KEY=VALUE', help: 'one field of the input; JSON, else a text' },
    ...workspaceOptions,
    ...clientOptions,
    ...agentsOptions,
    ...dataOptions,
    ...outputOptions,
  },
  notes: `Later ones win: --payload, --payload-file, --stdin, --set, the prompt. Without a server it runs one of its own.
Exit code: 0 completed, 1 failed, 2 usage, 3 cancelled, 130 left by Ctrl+C.`,
  run: async ({ args, flags, env, out }) => {
    const [agent = '', prompt] = args
    const input = await readRunInput(prompt, flags)
    const workspace = readWorkspace(flags, env)
    if (workspace && isLocalUrl(serverUrl(flags, env))) checkLocalFolder(workspace.source)
    const id = flags.id ?? `${agent}-${randomUUID()}`
    const { signal, dispose } = listenForInterrupt()
    const connection = await connectOrStart(flags, env, out)
    let isAccepted = false
    const { fabric } = connection
    const card = () => fabric.session(id, agent).catch(() => null)
    const onAccepted = async () => {
      isAccepted = true
      const note = workspace && !out.isJson ? workspaceNote((await card()) ?? { id }) : null
      if (note !== null) out.note(note)
    }
    try {
      out.note(`${agent}, session ${id}`)
      const display = out.isJson ? jsonDisplay(out) : terminalDisplay(connection, out, signal, { id, agent, env })
      const end = await runToEnd({
        ...connection,
        agent,
        id,
        input,
        workspace,
        signal,
        onAccepted,
        ...display,
      }).finally(display.finish)
      const { status } = end
      if (out.isJson) out.row({ type: 'outcome', sessionId: id, agent, ...end })
      else out.note(`${status}, session ${id}`)
      const takeOver = workspace && !out.isJson ? takeOverNote((await card()) ?? { id }) : null
      if (takeOver !== null) out.note(takeOver)
      return status === 'completed' ? EXIT_CODES.ok : status === 'cancelled' ? EXIT_CODES.cancelled : EXIT_CODES.failed
    } catch (error) {
      if (!signal.aborted) throw error
      throw new ExitError(
        EXIT_CODES.interrupted,
        isAccepted ? farewell(connection, id) : `Left before the server took the run.`,
      )
    } finally {
      await connection.close()
      dispose()
    }
  },
})

const farewell = ({ ownData }: ServerConnection, id: string): string =>
  ownData === null
    ? `Left. The run continues; watch it with bridle attach ${id}`
    : `Left, and the server of this run with it. The session is kept in ${ownData}: bridle start, then bridle attach ${id}`

interface RunDisplay {
  readonly onEvent: (event: PrintableEvent) => void
  readonly onDisconnect: () => void
  readonly finish: () => void
}

const jsonDisplay = (out: CliOutput): RunDisplay => ({ onEvent: out.row, onDisconnect: () => {}, finish: () => {} })

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
    finish: () => {
      if (interrupted.aborted) endLine(out, printer)
      else printer.freshLine()
      for (const question of open.values()) question.abort()
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
