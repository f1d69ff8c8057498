// An object per tenant has the metadata of its uploads. The bytes are in a bucket if one is bound, else in an object per file.
import type { Key } from '@bridle/kernel/event'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import type { Upload, Uploads } from '@bridle/kernel/ports/uploads'
import { withRetries } from '../object/artifact-bucket.ts'
import type { ObjectBucket, ObjectNamespace } from '../object/platform-types.ts'
import type { UploadPlace, UploadReservation } from './upload-index.ts'

export interface UploadStub {
  /** Null if the tenant has too many unused files. */
  reserveUpload(file: UploadReservation): Promise<Upload | null>
  completeUpload(id: string): Promise<void>
  discardUpload(id: string): Promise<void>
  findUpload(id: string): Promise<Upload | null>
  claimUpload(id: string, session: Key): Promise<boolean>
  locateUpload(id: string): Promise<UploadPlace | null>
  releaseUploads(ids: readonly string[], session: Key): Promise<void>
  /** Calls of the object with the bytes of one file. */
  writeBytes(bytes: Uint8Array): Promise<void>
  readBytes(): Promise<Uint8Array | null>
  eraseBytes(): Promise<void>
}

export interface RemoteUploads extends Uploads {
  release(ids: readonly string[], session: Key): Promise<void>
}

export interface UploadPlatform {
  readonly objects: ObjectNamespace<UploadStub>
  readonly bucket: ObjectBucket | null
}

export const remoteUploads = (platform: UploadPlatform): RemoteUploads => {
  const { objects, bucket } = platform
  const index = (tenant: string) => objects.get(objects.idFromName(`/files/${tenant}`))
  return {
    add: async (file, bytes) => {
      const { tenant } = file
      const reservation = { ...file, sizeBytes: bytes.byteLength, inBucket: bucket !== null }
      const upload = await index(tenant).reserveUpload(reservation)
      if (!upload) return null
      try {
        if (bucket) await withRetries(() => bucket.put(bytesName(upload.id), bytes))
        else await bytesObject(platform, upload.id).writeBytes(bytes)
        await index(tenant).completeUpload(upload.id)
      } catch (cause) {
        await index(tenant)
          .discardUpload(upload.id)
          .catch(() => {})
        throw new StoreFault('unreachable', 'The file cannot be stored.', cause)
      }
      return upload
    },
    find: (id, tenant) => index(tenant).findUpload(id),
    discard: (id, tenant) => index(tenant).discardUpload(id),
    claim: (id, session) => index(session.tenant).claimUpload(id, session),
    read: (id, tenant) =>
      withRetries(async () => {
        const place = await index(tenant).locateUpload(id)
        if (!place) return null
        if (!place.inBucket) return bytesObject(platform, id).readBytes()
        const stored = await bucket?.get(bytesName(id))
        return stored ? new Uint8Array(await stored.arrayBuffer()) : null
      }),
    release: (ids, session) => index(session.tenant).releaseUploads(ids, session),
  }
}

/** If the bucket is no longer bound, its bytes remain. */
export const eraseUpload = async (platform: UploadPlatform, { id, inBucket }: UploadPlace): Promise<void> => {
  if (inBucket) await platform.bucket?.delete([bytesName(id)])
  else await bytesObject(platform, id).eraseBytes()
}

/** Cannot clash with tenants or sessions, because ids contain no slash. */
const bytesName = (id: string): string => `/file/${id}`

const bytesObject = ({ objects }: UploadPlatform, id: string): UploadStub =>
  objects.get(objects.idFromName(bytesName(id)))
