// Uploads: a file is the body of a request, and a prompt names the reference in the answer.

/** A file of 25 MB at two megabits a second. */
const UPLOAD_MS = 120_000

/** The content of a file to upload. A `File` of a browser is a `Blob` that has a name. */
export type UploadContent = Blob | Uint8Array

/** Settings of an upload. */
export interface UploadOptions {
  /** The name of the file. Default: that of a `File`, else none. */
  readonly name?: string
  /** The media type, such as `image/png`. Default: that of a `Blob`, else `application/octet-stream`. */
  readonly type?: string
  /** Ends the upload. Default: a signal that gives it two minutes. */
  readonly signal?: AbortSignal
}

/** The request, and the name for the query of its address. */
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
