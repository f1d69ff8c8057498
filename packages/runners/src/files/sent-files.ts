// The files of a prompt on their way to a runner, and the words about them that the engine reads behind the prompt.

import type { Json, JsonObject } from '@bridle/events/json'
import { fileReferences } from '@bridle/kernel/file-references'
import type { Uploads } from '@bridle/kernel/ports/uploads'
import { safeFileName } from './file-names.ts'

/** Gives a file to the runner. Resolves to its path as an engine sees it; null = this runner takes no files. */
export type FileSender = (id: string, name: string, bytes: Uint8Array) => Promise<string | null>

/** The prompt, with a line for each file of its input. The same input gives the same text, also in another process. */
export const promptWithFiles = async (
  prompt: string,
  input: Json | undefined,
  { uploads, tenant, send }: { readonly uploads?: UploadReader; readonly tenant: string; readonly send: FileSender },
): Promise<string> => {
  const lines: string[] = []
  for (const reference of fileReferences(input)) {
    const id = String(reference.ref_id)
    const name = safeFileName(typeof reference.filename === 'string' ? reference.filename : null)
    const bytes = (await uploads?.read(id, tenant)) ?? null
    const path = bytes && (await send(id, name, bytes))
    const facts = `${typeOf(reference)}, ${Number(reference.size_bytes ?? 0)} bytes`
    lines.push(path === null ? `- ${name} (${facts}): it cannot be read here` : `- ${path} (${name}, ${facts})`)
  }
  return lines.length === 0 ? prompt : `${prompt}\n\n${HEADING}\n${lines.join('\n')}`
}

export type UploadReader = Pick<Uploads, 'read'>

const HEADING = 'These files came with the message. They can be read at these paths, and not changed there:'

/** Without parameters, which may be any text. */
const typeOf = ({ mime_type }: JsonObject): string =>
  /^[\w.+-]+\/[\w.+-]+/.exec(typeof mime_type === 'string' ? mime_type : '')?.[0] ?? 'application/octet-stream'
