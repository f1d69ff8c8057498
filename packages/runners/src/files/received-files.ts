// Files of prompts, which engines read and cannot write. They are beside the work folder, so that the workspace is unchanged.
import { chmod, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { isSafeFileName } from './file-names.ts'

/** The largest upload that a server takes. */
export const FILE_BYTES_MAX = 25 * 1000 * 1000

export const filesFolderOf = (stateFolder: string): string => `${stateFolder}-files`

let drafts = 0

/** Resolves to the path as seen from the work folder. An existing file stays as it is: its id stands for its bytes. */
export const receiveFile = async (
  { folder, workFolder }: { readonly folder: string; readonly workFolder: string },
  { id, name }: { readonly id: string; readonly name: string },
  content: AsyncIterable<Uint8Array>,
): Promise<{ readonly path: string } | 'bad_name' | 'too_large'> => {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(id) || !isSafeFileName(name)) return 'bad_name'
  const file = join(folder, id, name)
  const isThere = await stat(file).then(
    () => true,
    () => false,
  )
  await makeReadable(dirname(file))
  const draft = join(folder, `.${process.pid}-${drafts++}`)
  const isWhole = await writeFile(draft, content)
  if (isWhole && !isThere) await rename(draft, file)
  else await rm(draft)
  return isWhole ? { path: relative(workFolder, file) } : 'too_large'
}

/** Engines may be of another user than the runner. */
const makeReadable = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true })
  for (const each of [dirname(folder), folder]) await chmod(each, 0o755)
}

const writeFile = async (path: string, content: AsyncIterable<Uint8Array>): Promise<boolean> => {
  const file = await open(path, 'wx', 0o644)
  let size = 0
  try {
    // The content is read to its end: a client that is still writing does not read the refusal.
    for await (const bytes of content) {
      size += bytes.byteLength
      if (size <= FILE_BYTES_MAX) await file.write(bytes)
    }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
  return size <= FILE_BYTES_MAX
}
