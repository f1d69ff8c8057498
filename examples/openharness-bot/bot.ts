// A chat bot: the platform calls a webhook for each message or pressed button, and the bot answers through the platform's API. Each chat
// is a session. The bot keeps nothing that it needs after a restart: a button carries the token of its answer.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exactText } from 'bridle/client'
import { createShell, httpTransport, type Shell, type ShellTurn } from 'bridle/openharness'

/** A message to a chat. */
export interface BotMessage {
  readonly chat: string
  readonly text: string
  readonly buttons?: readonly { readonly label: string; readonly value: string }[]
}

export interface BotOptions {
  /** The address of the engine. */
  readonly url: string
  readonly token?: string
  /** The secret that the platform signs its calls with. */
  readonly secret: string
  readonly port: number
  /** Sends a message through the platform. */
  readonly deliver: (message: BotMessage) => Promise<void>
}

export interface Bot {
  readonly url: string
  close(): Promise<void>
}

const BODY_BYTES_MAX = 64 * 1024
const CHATS_MAX = 1_000
const CALLS_MAX = 10_000

export const startBot = async (options: BotOptions): Promise<Bot> => {
  const chats = new Map<string, Shell>()
  const calls = new Set<string>()
  const turns = new Set<Promise<unknown>>()

  const shellOf = (chat: string): Shell => {
    const shell = chats.get(chat) ?? chatShell(chat, options)
    chats.delete(chat)
    chats.set(chat, shell)
    forgetOldest(chats, CHATS_MAX)
    return shell
  }

  const answer = async (call: WebhookCall): Promise<void> => {
    const shell = shellOf(call.chat)
    // The platform calls again when our answer was late: its id as the request id makes that harmless in the engine, too.
    const requestId = `im-${call.id}`
    const { error }: ShellTurn = call.button
      ? await shell.resume({ continuation_token: call.button.value }, { intent: call.button.label, requestId })
      : await shell.send(call.text, { requestId })
    if (error) await options.deliver({ chat: call.chat, text: `Sorry, this did not work (${error.code}).` })
  }

  const server = createServer(async (request, response) => {
    const [status, call] = await readCall(request, options.secret)
    reply(response, status)
    if (!call) return
    // Many platforms count messages in each chat anew.
    const name = JSON.stringify([call.chat, call.id])
    if (calls.has(name)) return
    calls.add(name)
    forgetOldest(calls, CALLS_MAX)
    const turn = answer(call)
      .catch((error: unknown) => console.error('a message could not be delivered', error))
      .finally(() => turns.delete(turn))
    turns.add(turn)
  })
  await new Promise<void>((resolve) => server.listen(options.port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await Promise.all(turns)
    },
  }
}

/** A webhook cannot wait for a person: the question becomes buttons, and the answer is another call. */
const chatShell = (chat: string, { url, token, deliver }: BotOptions): Shell =>
  createShell({
    transport: httpTransport({ url, ...(token && { headers: { authorization: `Bearer ${token}` } }) }),
    identity: { shell_kind: 'im_bot', shell_version: '1.0.0' },
    sessionId: `im-${chat}`,
    handlers: {
      render_message: ({ text }) => deliver({ chat, text }),
      request_approval: async ({ message, tool, arguments: args, options, questions, schema, fallback_message }) => {
        // The next message of the chat is the answer to a question for a text, and a choice has a button for each option. Several
        // questions at once, and forms, do not fit a chat: the engine's advice names the place to answer them.
        const isText = tool === 'user.input'
        const isQuestion = questions !== undefined || schema !== undefined
        const isForm = isQuestion && !isText && !options.some(({ id }) => id.startsWith('option-'))
        const buttons = options
          .filter(({ id }) => !(isText || isForm) || id !== 'approve')
          .map(({ label, continuation_token }) => ({ label, value: continuation_token }))
        const call = tool && !isText && !isQuestion ? `\n${exactText(`${tool} ${JSON.stringify(args ?? {})}`)}` : ''
        const text = isForm && typeof fallback_message === 'string' ? fallback_message : message
        await deliver({ chat, text: `${exactText(text)}${call}`, buttons })
        return null
      },
    },
  })

interface WebhookCall {
  readonly id: string
  readonly chat: string
  readonly text: string
  readonly button: { readonly label: string; readonly value: string } | null
}

/** The status for the platform, and the call if there is one. Nothing of a body is read before its signature is right. */
const readCall = async (request: IncomingMessage, secret: string): Promise<[status: number, call?: WebhookCall]> => {
  if (request.method !== 'POST' || request.url !== '/webhook') return [404]
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.byteLength
    if (bytes > BODY_BYTES_MAX) return [413]
    pieces.push(piece)
  }
  const body = Buffer.concat(pieces)
  if (!isSigned(body, request.headers['x-im-signature'], secret)) return [401]
  const call = parseCall(body.toString('utf8'))
  return call ? [202, call] : [400]
}

const isSigned = (body: Buffer, signature: unknown, secret: string): boolean => {
  const right = createHmac('sha256', secret).update(body).digest()
  const given = Buffer.from(typeof signature === 'string' ? signature : '', 'hex')
  return given.byteLength === right.byteLength && timingSafeEqual(given, right)
}

const parseCall = (body: string): WebhookCall | null => {
  try {
    const { id, chat, text = '', button = null } = JSON.parse(body) as Record<string, unknown>
    if (!isText(id) || !isText(chat)) return null
    if (button === null) return isText(text) ? { id, chat, text, button } : null
    const { label, value } = button as Record<string, unknown>
    return isText(label) && isText(value) ? { id, chat, text: '', button: { label, value } } : null
  } catch {
    return null
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const reply = (response: ServerResponse, status: number): void => {
  // The rest of a body that is too large is not read.
  if (status === 413) response.setHeader('connection', 'close')
  response.writeHead(status).end()
}

const forgetOldest = (kept: Set<string> | Map<string, unknown>, most: number): void => {
  for (const key of kept.keys()) {
    if (kept.size <= most) return
    kept.delete(key)
  }
}
