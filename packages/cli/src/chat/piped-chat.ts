// A chat without a terminal: each input line is a prompt, and answers are plain text or JSON lines.
import { createInterface } from 'node:readline'
import { withWholeApproval } from '../approvals/child-approval.ts'
import { EXIT_CODES } from '../command/command.ts'
import type { TurnChoice } from '../runs/model-option.ts'
import { exitCodeOf } from '../runs/once.ts'
import { runToEnd } from '../runs/run-to-end.ts'
import type { ServerConnection } from '../runs/server-connection.ts'
import { createEventPrinter, type PrintableEvent } from '../terminal/event-printer.ts'
import { type CliOutput, escapeControls, widthOf } from '../terminal/output.ts'
import type { ChatTarget } from './chat-target.ts'

/** Returns the exit code of the first failed run, otherwise 0. Later lines are still sent. */
export const runPipedChat = async (
  connection: ServerConnection,
  target: ChatTarget,
  choice: TurnChoice,
  out: CliOutput,
  signal: AbortSignal,
): Promise<number> => {
  const lines = createInterface({ input: process.stdin, terminal: false })
  const stop = () => lines.close()
  signal.addEventListener('abort', stop, { once: true })
  let code: number = EXIT_CODES.ok
  let prompts = 0
  try {
    for await (const line of lines) {
      if (line.trim() === '') continue
      prompts += 1
      const display = out.isJson ? out.row : answerDisplay(out)
      const onEvent = async (event: PrintableEvent) => display(await withWholeApproval(connection.plain, event))
      const end = await runToEnd({
        ...{
          fabric: connection.fabric,
          agent: target.agent,
          id: target.id,
          input: { ...choice, prompt: line },
          signal,
        },
        onEvent,
      })
      if (out.isJson) out.row({ type: 'outcome', sessionId: target.id, agent: target.agent, ...end })
      if (code === EXIT_CODES.ok) code = exitCodeOf(end.status)
    }
    signal.throwIfAborted()
    // A session without a prompt is useless.
    if (prompts === 0 && target.isNew) await connection.plain.remove(target.agent, target.id)
    return code
  } finally {
    signal.removeEventListener('abort', stop)
    lines.close()
  }
}

const answerDisplay = (out: CliOutput): ((event: PrintableEvent) => void) => {
  let isOpen = false
  const freshLine = () => {
    if (isOpen) out.write('\n')
    isOpen = false
  }
  const remark = (text: string) => out.note(text)
  const printer = createEventPrinter(
    {
      ...out,
      isJson: false,
      canAsk: false,
      width: widthOf(process.stderr),
      write: (text) => process.stderr.write(text),
      line: remark,
      style: (_format, text) => text,
    },
    { withPrompts: false, withHints: true },
  )
  return (event) => {
    if (event.type === 'text_delta') {
      const text = escapeControls(String(event.data.delta))
      out.write(text)
      isOpen = text === '' ? isOpen : !text.endsWith('\n')
      return
    }
    freshLine()
    if (event.type !== 'result' && event.type !== 'thinking_delta') printer.print(event)
  }
}
