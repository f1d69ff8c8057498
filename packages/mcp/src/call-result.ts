// A tool result for the model. Text and data are inlined. Images, audio and files become artifacts that the model sees by name.
import { isJsonObject, type Json, type JsonObject, present } from '@bridle/events/json'
import { truncate } from '@bridle/kernel/text/truncate'

/** A longer list of links would fill the model's context. */
const BLOCKS_MAX = 200
/** For descriptive fields such as a resource address. */
const FIELD_CHARS_MAX = 2_000

export interface CallResult {
  readonly content: readonly object[]
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
}

export type KeepFile = (name: string, text: string, contentType: string) => Promise<void>

export const resultValue = async (tool: string, result: CallResult, keep: KeepFile): Promise<Json> => {
  const { structuredContent } = result
  const structured = isJsonObject(structuredContent) ? structuredContent : undefined
  const blocks = result.content.slice(0, BLOCKS_MAX) as JsonObject[]
  const left = result.content.length - blocks.length
  const values: Json[] = []
  for (const [index, block] of blocks.entries()) values.push(await blockValue(block, `${tool}-${index + 1}`, keep))
  if (left > 0) values.push(`… ${left} more blocks are left out.`)
  // Servers repeat structured data as text for older clients.
  if (values.every((value) => typeof value === 'string')) return structured ?? values.join('\n')
  return present({ content: values, structured }) as Json
}

export const failureText = ({ content }: CallResult): string =>
  truncate(
    (content as JsonObject[]).flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n'),
    FIELD_CHARS_MAX,
  )

const blockValue = async (block: JsonObject, name: string, keep: KeepFile): Promise<Json> => {
  const { type, text, data, mimeType, resource } = block
  if (type === 'text' && typeof text === 'string') return text
  if (typeof data === 'string') return keepData(String(type), data, mimeType, name, keep)
  if (type === 'resource' && isJsonObject(resource)) return resourceValue(resource, name, keep)
  const { uri, name: title, description } = block
  return present({ ...fields({ type, uri, name: title, description }), mime_type: field(mimeType) })
}

const resourceValue = async (resource: JsonObject, name: string, keep: KeepFile): Promise<Json> => {
  const { uri, text, blob, mimeType } = resource
  if (typeof blob === 'string') {
    return { ...(await keepData('resource', blob, mimeType, name, keep)), ...fields({ uri }) }
  }
  return present({
    type: 'resource',
    ...fields({ uri }),
    mime_type: field(mimeType),
    text: typeof text === 'string' ? text : '',
  })
}

/** Artifacts are text, so bytes are stored as data URLs, which pages can show. */
const keepData = async (
  type: string,
  data: string,
  mimeType: Json | undefined,
  name: string,
  keep: KeepFile,
): Promise<JsonObject> => {
  const media = typeof mimeType === 'string' && MEDIA_TYPE.test(mimeType) ? mimeType : 'application/octet-stream'
  await keep(name, `data:${media};base64,${data}`, 'text/uri-list')
  return {
    type: truncate(type, FIELD_CHARS_MAX),
    mime_type: media,
    artifact: name,
    bytes: Math.floor((data.length * 3) / 4),
  }
}

const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/

const fields = (given: Readonly<Record<string, Json | undefined>>): JsonObject =>
  present(Object.fromEntries(Object.entries(given).map(([name, value]) => [name, field(value)]))) as JsonObject

const field = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? truncate(value, FIELD_CHARS_MAX) : undefined
