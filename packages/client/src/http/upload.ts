/** 25 MB at two megabits per second. */
const UPLOAD_MS = 120_000

/** The content of a file. A browser's `File` is a `Blob` with a name. */
export type UploadContent = Blob | Uint8Array

/** Options of an upload. */
export interface UploadOptions {
  /** File name. Default: the name of a `File`. */
  readonly name?: string
  /** Media type, such as `image/png`. Default: the type of a `Blob`, otherwise `application/octet-stream`. */
  readonly type?: string
  /** Aborts the upload. Default: a timeout of two minutes. */
  readonly signal?: AbortSignal
}

export const uploadRequest = (content: UploadContent, { name, type, signal }: UploadOptions) => {
  const { name: ownName, type: ownType } = content as Partial<File>
  return {
    filename: name ?? ownName,
    init: {
      method: 'POST',
      headers: { 'content-type': type || ownType || 'application/octet-stream' },
      body: content as Blob,
      signal: signal ?? AbortSignal.timeout(UPLOAD_MS),
    },
  }
}
