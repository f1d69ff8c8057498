// Saves a response body atomically, so that an interrupted download neither looks complete nor replaces a complete file.
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { failure } from '../command/command.ts'

const whyNot: { readonly [code: string]: string } = {
  ENOENT: 'there is no such folder.',
  EACCES: 'you may not write there.',
  ENOTDIR: 'there is no such folder.',
}

export const saveFile = async (answer: Response, file: string, what: string): Promise<void> => {
  // An unpredictable name: in a shared folder, another user could have planted a link or a file.
  const partial = `${file}.${randomUUID()}.partial`
  await pipeline(bodyOf(answer), createWriteStream(partial, { flags: 'wx', mode: 0o600 })).catch(
    async (cause: unknown) => {
      await rm(partial, { force: true })
      const code = (cause as NodeJS.ErrnoException).code
      throw failure(
        code !== undefined && Object.hasOwn(whyNot, code)
          ? `${file} cannot be written: ${whyNot[code]}`
          : `The ${what} broke off, and ${file} is not written. Try again.`,
        { cause },
      )
    },
  )
  await rename(partial, file).catch(async (cause: NodeJS.ErrnoException) => {
    await rm(partial, { force: true })
    throw failure(`${file} cannot be written: ${cause.code}`, { cause })
  })
}

export const bodyOf = (answer: Response): Readable =>
  answer.body === null ? Readable.from([]) : Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
