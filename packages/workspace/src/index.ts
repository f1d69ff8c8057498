// The entry `bridle/workspace`, for Node: tools with which a model works on the files of one folder.

export { WorkspaceError, type WorkspaceErrorCode } from './files/workspace-error.ts'
export { type WorkspaceSettings, workspace } from './workspace.ts'
