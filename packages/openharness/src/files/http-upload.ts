import { isJsonObject } from '@bridle/events/json'
import type { AttachmentReference } from '@bridle/wire/openharness/wire'
import type { HttpTransportOptions } from '../http-transport.ts'
import { withinTime } from '../messages/deadline.ts'
import { ShellFault } from '../messages/fault.ts'
import type { FileUpload, ShellFile } from './shell-file.ts'

/** 25 MB at 2 Mbit/s takes 100 seconds. */
const FILE_UPLOAD_MS = 120_000

/** Uploads are not retried here. The turn fails with an error that says whether a retry can help. */
export const httpUpload =
  (options: HttpTransportOptions): FileUpload =>
  async (file, { signal, tenantId }) => {
    const url = uploadAddress(options, file)
    const { headers: own, fetch: ownFetch } = options
    const work = await withinTime(FILE_UPLOAD_MS, signal, async (limit) => {
      const headers = new Headers(typeof own === 'function' ? await own() : own)
      headers.set('content-type', file.type || contentField(file, 'type') || 'application/octet-stream')
      headers.set('accept', 'application/json')
      if (tenantId !== undefined) headers.set('x-fabric-tenant', tenantId)
      const body = file.content as Blob
      const response = await (ownFetch ?? fetch)(url, {
        method: 'POST',
        headers,
        body,
        redirect: 'error',
        signal: limit,
      })
      return { status: response.status, grant: (await response.json().catch(() => null)) as unknown }
    })
    if (work.end === 'aborted') throw new ShellFault('aborted', 'The upload was ended by the caller.')
    if (work.end === 'timed_out') throw new ShellFault('timed_out', `The upload took more than ${FILE_UPLOAD_MS} ms.`)
    if (work.end === 'failed')
      throw new ShellFault('unreachable', 'The engine cannot be reached for an upload.', { cause: work.error })
    return referenceOf(work.value.grant, work.value.status, file)
  }

const referenceOf = (grant: unknown, status: number, file: ShellFile): AttachmentReference => {
  if (LATER.has(status))
    throw new ShellFault('unreachable', `HTTP ${status}: the engine takes no file now.`, { status })
  if (status < 200 || status > 299)
    throw new ShellFault('upload_refused', `HTTP ${status}: the engine did not take the file.`, { status })
  if (!isJsonObject(grant) || typeof grant.ref_id !== 'string')
    throw new ShellFault('not_openharness', `HTTP ${status} without a ref_id: check filesUrl.`, { status })
  const { ref_id, mime_type, size_bytes } = grant
  const filename = nameOf(file)
  return {
    ref_id,
    ...(typeof mime_type === 'string' && { mime_type }),
    ...(typeof size_bytes === 'number' && { size_bytes }),
    ...(filename && { filename }),
  }
}

const LATER: ReadonlySet<number> = new Set([429, 502, 503, 504])

const uploadAddress = ({ url, filesUrl }: HttpTransportOptions, file: ShellFile): URL => {
  const address = new URL(filesUrl ?? url)
  if (filesUrl === undefined) {
    if (!ENGINE_PATH.test(address.pathname))
      throw new ShellFault('invalid_options', 'Say where files are uploaded: httpTransport takes filesUrl.', {
        field: 'filesUrl',
      })
    address.pathname = address.pathname.replace(ENGINE_PATH, '/files')
  }
  const filename = nameOf(file)
  if (filename) address.searchParams.set('filename', filename)
  return address
}

const ENGINE_PATH = /(\/v1)?\/openharness\/?$/

const nameOf = (file: ShellFile): string | undefined => file.name ?? contentField(file, 'name')

/** `Blob` has a type, and `File` also has a name. */
const contentField = ({ content }: ShellFile, field: 'name' | 'type'): string | undefined =>
  (content as Partial<File>)[field]
