// The entry `bridle/workspace`, for Node: tools with which a model works on the files of one folder.
export { type WorkspaceSettings, workspace } from './workspace.ts'
export { WorkspaceError, type WorkspaceErrorCode } from './workspace-error.ts'
