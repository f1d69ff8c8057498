// Resuming a conversation: a resume id is `thread:turn`, or `thread:turn:before` if the turn never ended. A thread is resumed from its
// last turn, and forked from an earlier one or while another process writes to it.
import { type JsonObject, objectOf, present } from '@bridle/events/json'
import { appendedInstructions } from '../appended-instructions.ts'
import type { EngineOptions } from '../engine.ts'
import { type AppServer, RpcError } from './app-server.ts'
import { textIn } from './events/lenient-json.ts'
import { threadSettings } from './launch.ts'
import { codexMcpServers } from './mcp-servers.ts'
import { ThreadTexts } from './thread-texts.ts'

export interface ThreadPosition {
  readonly thread: string
  readonly turn: string | null
  /** Why the thread could not resume at the requested turn. */
  readonly lostReason: string | null
  /** The thread ends exactly at the requested turn. */
  readonly isExact: boolean
  readonly model: string
}

export const openThread = async (
  server: AppServer,
  options: EngineOptions,
  controlMs: number,
): Promise<ThreadPosition> => {
  const instructions = appendedInstructions(options, { listsSubagents: true })
  const texts = new ThreadTexts(options.privateFolder, instructions)
  const own = threadSettings({ ...options, ...present({ instructions: instructions ?? undefined }) })
  const config = { ...objectOf(own.config), ...objectOf(codexMcpServers(options.mcp).config) }
  const settings = { ...own, ...(Object.keys(config).length > 0 && { config }) }
  let model = options.settings.model ?? ''
  const ask = async (method: string, params: JsonObject) => {
    const answer = await server.request(method, { ...settings, ...params }, controlMs)
    model = textIn(answer, 'model') ?? model
    return answer.thread
  }
  const [thread = '', ...turns] = options.resume?.split(':') ?? []
  let lost: string | null = null
  for (const [index, turn] of turns.entries()) {
    try {
      const listed = { threadId: thread, limit: 1, sortDirection: 'desc', itemsView: 'notLoaded' }
      const { data } = await server.request('thread/turns/list', listed, controlMs)
      const last = Array.isArray(data) && textIn(data[0], 'id') === turn
      const resumed = last
        ? await ask('thread/resume', { threadId: thread, excludeTurns: true }).catch(nullIfRefused)
        : null
      const found = resumed ?? (await ask('thread/fork', { threadId: thread, lastTurnId: turn, excludeTurns: true }))
      const continued = textIn(found, 'id') ?? thread
      // An older Codex cannot add to a thread, and continues with the texts of before.
      await texts.update(server, continued, thread, controlMs).catch(nullIfRefused)
      return { thread: continued, turn, lostReason: null, isExact: index === 0, model }
    } catch (error) {
      lost = nullIfRefused(error) ?? (error as Error).message
    }
  }
  if (options.resume !== null) lost ??= 'its id is not one of ours'
  // Raw events are the only report of a call for which Codex makes no item.
  const fresh = textIn(await ask('thread/start', { experimentalRawEvents: true }), 'id')
  if (fresh === undefined) throw new Error('it began no thread')
  texts.remember(fresh)
  return { thread: fresh, turn: null, lostReason: lost, isExact: false, model }
}

/** Null for a refusal. A process that is gone or silent is no reason to start over. */
const nullIfRefused = (error: unknown): null => {
  if (error instanceof RpcError) return null
  throw error
}
