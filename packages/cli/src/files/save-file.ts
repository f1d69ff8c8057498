// Saves the body of a response. A file that is cut off must not stand under its name, nor replace a whole one.
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

/** `what` names the content in the error, such as "export". */
export const saveFile = async (answer: Response, file: string, what: string): Promise<void> => {
  // A new file under a name that nobody can know: in a shared folder somebody may have put a link, or a file of theirs, in its place.
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
