import { parentPort } from 'node:worker_threads'
import { asWorkspaceError, WorkspaceError } from '../files/workspace-error.ts'
import { isOwnersName } from './owners-files.ts'
import type { ReviewAnswer, ReviewRequest, ReviewResults } from './review-request.ts'
import { compareWithSource } from './source-comparison.ts'
import { readSourceRecord } from './source-record.ts'
import { rememberSource } from './source-snapshot.ts'
import { lookAtFile, lookAtFolder, lookAtSource } from './tree-looks.ts'

parentPort?.on('message', (request: ReviewRequest) => {
  const end = performance.now() + request.ms
  parentPort?.postMessage(answer(request, () => performance.now() > end))
})

const answer = (request: ReviewRequest, isLate: () => boolean): ReviewAnswer => {
  try {
    return { result: resultOf(request, isLate) }
  } catch (thrown) {
    const error = asWorkspaceError(thrown, 'path' in request ? request.path : '')
    const code = error instanceof WorkspaceError ? error.code : 'failed'
    return { error: { code, message: error.message } }
  }
}

const resultOf = (request: ReviewRequest, isLate: () => boolean): ReviewResults[keyof ReviewResults] => {
  const isLeftOut = request.isInPlace ? isOwnersName : undefined
  switch (request.kind) {
    case 'remember':
      return rememberSource(request, isLate, isLeftOut)
    case 'compare': {
      const { root, memory } = request
      const source = memory === null ? null : readSourceRecord(memory)
      return memory !== null && source === null ? null : compareWithSource({ root, source, isLeftOut }, isLate)
    }
    case 'folder':
      return lookAtFolder(request.root, request.path, isLeftOut)
    case 'file':
      return lookAtFile(request.root, request.path, isLeftOut)
    case 'source':
      return lookAtSource(request.memory, request.path)
  }
}
