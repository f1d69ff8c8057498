import { parentPort } from 'node:worker_threads'
import { ConfinedFolder } from '../files/confined-folder.ts'
import { asWorkspaceError, WorkspaceError } from '../files/workspace-error.ts'
import { listFiles } from './file-list.ts'
import { searchFiles } from './file-search.ts'
import type { ScanMessage, ScanRequest } from './scan-request.ts'

const send = (message: ScanMessage): void => parentPort?.postMessage(message)
const onLine = (line: string): void => send({ line })

parentPort?.on('message', (request: ScanRequest) => {
  send({ begun: true })
  try {
    const folder = new ConfinedFolder(request.root)
    const end = request.kind === 'list' ? listFiles(folder, request, onLine) : searchFiles(folder, request, onLine)
    send({ end })
  } catch (thrown) {
    const error = asWorkspaceError(thrown, request.path)
    const code = error instanceof WorkspaceError ? error.code : 'failed'
    send({ error: { code, message: error.message } })
  }
})
