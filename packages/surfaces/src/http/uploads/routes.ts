// A file is uploaded as a request body, and referenced by a later prompt.

import type { UploadGrant } from '@bridle/wire/http/wire'
import * as v from 'valibot'
import { viewerOf } from '../access/users.ts'
import { json } from '../answers/answer-schema.ts'
import { uploadAnswer } from '../answers/server-answers.ts'
import { badRequest, Denial, isDenial } from '../denials/denial.ts'
import { FILENAME_CHARS_MAX, UPLOAD_BYTES_MAX } from '../limits.ts'
import { post, type Route } from '../router/route.ts'
import { mediaTypeOf } from './media-type.ts'

export const uploadRoutes: readonly Route[] = [
  post('/files', {
    scope: 'operate',
    summary: 'Upload a file that a prompt names as an attachment',
    fileBytesMax: UPLOAD_BYTES_MAX,
    query: v.looseObject({ filename: v.optional(v.pipe(v.string(), v.maxLength(FILENAME_CHARS_MAX))) }),
    answers: { 201: uploadAnswer },
    handle: async ({ ports, access, request, rawBody, query }) => {
      if (!ports.uploads) return badRequest('This server keeps no files. Name a uri or an asset_id instead.')
      const mimeType = mediaTypeOf(request.headers.get('content-type'))
      if (mimeType === null) return badRequest('Send the file as the body, with its own type as Content-Type.')
      const bytes = await rawBody.bytes()
      if (isDenial(bytes)) return bytes
      if (bytes.byteLength === 0) return badRequest('The file is empty. Send it as the body.')
      const file = {
        tenant: access.tenant,
        owner: await viewerOf(access),
        name: query.filename?.toWellFormed() || null,
        mimeType,
      }
      const upload = await ports.uploads.add(file, bytes)
      if (!upload) return new Denial('conflict', 'Too many files wait to be used. Use some of them, or try tomorrow.')
      const { id, sizeBytes } = upload
      return json<UploadGrant>({ ref_id: id, mime_type: mimeType, size_bytes: sizeBytes }, { status: 201 })
    },
  }),
]
