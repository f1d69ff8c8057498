export { WorkspaceError, type WorkspaceErrorCode } from './files/workspace-error.ts'
export { type WorkspaceSettings, workspace } from './workspace.ts'
