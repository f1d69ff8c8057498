// The files of prompts for the model: text as text, an image or a PDF as a file. The log has references, so each request reads the bytes.
import { isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import type { Uploads } from '@bridle/kernel/ports/uploads'
import type { LanguageModel, ModelFilePart, ModelMessage, ModelTextPart } from '../../model/model.ts'
import { type Attachment, attachmentsOf } from '../../session/attachments.ts'
import { textMessage } from './rendering.ts'

/** A text file in a prompt: some 50,000 tokens, a quarter of what usual models read. The rest is left out, and the model learns so. */
export const FILE_TEXT_CHARS_MAX = 200_000

interface FileSource {
  readonly uploads: Pick<Uploads, 'read'> | undefined
  readonly tenant: string
  readonly model: LanguageModel
}

/** Puts the files behind the texts of their prompts. `messages` is the caller's own list, and its entries stay as they are. */
export const addPromptFiles = async (
  messages: ModelMessage[],
  inputs: ReadonlyMap<ModelMessage, JsonObject>,
  { model, ...from }: FileSource,
): Promise<void> => {
  if (inputs.size === 0) return
  for (const [index, message] of messages.entries()) {
    const input = inputs.get(message)
    if (input === undefined || message.role !== 'user') continue
    const parts = await Promise.all(attachmentsOf(input, from).map((file) => filePart(file, model)))
    messages[index] = { ...message, content: [...message.content, ...parts] }
  }
}

/** Prompts that the model sees for the first time, with their files. The transcript has the same later. */
export const steerMessages = async (
  steers: readonly { readonly text: string; readonly input?: Json }[],
  source: FileSource,
): Promise<readonly ModelMessage[]> => {
  const inputs = new Map<ModelMessage, JsonObject>()
  const messages = steers.map(({ text, input }) => {
    const message = textMessage(text)
    if (isJsonObject(input)) inputs.set(message, input)
    return message
  })
  await addPromptFiles(messages, inputs, source)
  return messages
}

const filePart = async (file: Attachment, model: LanguageModel): Promise<ModelTextPart | ModelFilePart> => {
  const { mimeType, name, refId } = file
  const title = `"${name ?? refId}" (${mimeType})`
  try {
    if (isText(mimeType)) return textPart(`[File ${title}]\n${shortened(await file.text())}`)
    const mediaType = mimeType.replace(/;.*/, '').trim()
    if (!/^image\/|^application\/pdf$/.test(mediaType))
      return textPart(`[The file ${title} came with the prompt. Its type cannot be shown here.]`)
    const bytes = await file.bytes()
    // The two versions of the interface write the bytes in two ways.
    const data = model.specificationVersion === 'v3' ? bytes : { type: 'data', data: bytes }
    return { type: 'file', mediaType, data, ...(name !== null && { filename: name }) }
  } catch {
    return textPart(`[The file ${title} can no longer be read.]`)
  }
}

const isText = (mimeType: string): boolean =>
  /^text\/|^application\/(json|xml|yaml|x-yaml|toml)\b|\+(json|xml)\b/.test(mimeType)

const textPart = (text: string): ModelTextPart => ({ type: 'text', text })

const shortened = (text: string): string =>
  text.length <= FILE_TEXT_CHARS_MAX
    ? text
    : `${text.slice(0, FILE_TEXT_CHARS_MAX).toWellFormed()}\n[The rest of the file is left out: it has ${text.length} characters.]`
