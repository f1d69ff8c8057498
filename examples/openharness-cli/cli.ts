// A command-line shell: a line of input is an intent, and the directives that come back are printed or asked about.

import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { type AnswerInput, answerFields, exactText, type QuestionRequest, readAnswer } from 'bridle/client'
import { createShell, httpTransport, type ShellTurn } from 'bridle/openharness'

export interface CliOptions {
  /** The address of the engine. */
  readonly url: string
  readonly token?: string
  readonly sessionId?: string
  readonly input: Readable
  readonly output: Writable
}

/** Reads intents until the input ends or says /quit. Gives the exit code: 1 if the last turn failed. */
export const runCli = async ({ url, token, sessionId, input, output }: CliOptions): Promise<number> => {
  // An iterator keeps lines that come before they are asked for, as they do from a pipe.
  const reader = createInterface({ input })
  const lines = reader[Symbol.asyncIterator]()
  const print = (text: string) => output.write(`${withoutControls(text)}\n`)
  const ask = async (prompt: string): Promise<string | null> => {
    output.write(withoutControls(prompt))
    const { value, done } = await lines.next()
    return done ? null : value.trim()
  }

  /** The chosen options by their numbers, or a text. */
  const askField = async ({ label, type, options = [] }: AnswerInput): Promise<readonly string[]> => {
    print(exactText(label))
    for (const [index, option] of options.entries()) print(`  ${index + 1}. ${exactText(option.label)}`)
    const line = (await ask('answer> ')) ?? ''
    if (options.length === 0) return [line]
    const words = type === 'choices' ? line.split(/[\s,]+/) : [line]
    return words.map((word) => options[Number(word) - 1]?.value ?? word)
  }

  const shell = createShell({
    transport: httpTransport({ url, ...(token && { headers: { authorization: `Bearer ${token}` } }) }),
    identity: { shell_kind: 'command_shell', shell_version: '1.0.0', ...localeOf() },
    environment: { privacy_tier: 'restricted', os: process.platform },
    ...(sessionId && { sessionId }),
    handlers: {
      render_message: ({ text }) => print(text),
      render_ui: ({ component, data }) => print(`[${component}] ${JSON.stringify(data ?? null)}`),
      request_approval: async ({ message, tool, arguments: args, options, questions, schema }) => {
        if (questions || schema) {
          if (schema) print(exactText(message))
          const request = (schema ? { schema } : { questions }) as QuestionRequest
          const form = new FormData()
          for (const field of answerFields(request))
            for (const text of await askField(field)) form.append(field.name, text)
          const isBlank = [...form].length === 0
          const given = readAnswer(request, form)
          // The token of an option is the whole answer to a choice.
          const [chosen] = Object.values(given.answers ?? {})
          const option = options.find(({ id, label }) => id.startsWith('option-') && label === chosen)
          return isBlank ? null : (option?.id ?? { option: 'approve', ...given })
        }
        print(exactText(message))
        if (tool === 'user.input') {
          const text = await ask('answer> ')
          return text ? { option: 'approve', text } : null
        }
        if (tool) print(`  ${exactText(`${tool} ${JSON.stringify(args ?? {})}`)}`)
        for (const [index, { label }] of options.entries()) print(`  ${index + 1}. ${label}`)
        const answer = await ask('answer> ')
        return options[Number(answer) - 1]?.id ?? null
      },
    },
    approve: async ({ action_type, payload }) =>
      (await ask(`Run ${exactText(`${action_type} ${JSON.stringify(payload ?? {})}`)}? y/N `))?.toLowerCase() === 'y',
    onTelemetry: ({ code, action_type }) => {
      if (code === 'unknown_action_type') print(`(this shell does not know ${action_type})`)
    },
  })

  print(`session ${shell.sessionId}; /new starts a conversation, /quit leaves`)
  let last: ShellTurn | null = null
  for (let line = await ask('> '); line !== null && line !== '/quit'; line = await ask('> ')) {
    if (line === '') continue
    if (line === '/new') {
      print(`conversation ${shell.startConversation()}`)
      continue
    }
    last = await shell.send(line)
    if (last.error) print(`failed: ${last.error.code}: ${reasonOf(last.error, url)}`)
    for (const { message } of last.openApprovals) print(`(still open: ${message})`)
  }
  // A terminal that is still read keeps the process alive after /quit.
  reader.close()
  return last?.error ? 1 : 0
}

const reasonOf = ({ code, message }: NonNullable<ShellTurn['error']>, url: string): string =>
  code === 'unreachable'
    ? `No engine answers at ${url}. Start one (for Bridle: npm start).`
    : (message ?? 'no reason given')

/** An engine's text must not move the cursor or change the colours of a terminal. */
const withoutControls = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, '')

const localeOf = () => {
  const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return { locale, timezone: timeZone }
}
