// The workspace of a session: its files and changes.

/** The kind of something in a workspace: a link is shown and not followed, and what is neither file, folder nor link is never opened. */
export type WorkspaceEntryKind = 'file' | 'folder' | 'link' | 'other'

/** A file of a workspace that differs from the source. */
export interface WorkspaceChange {
  /** The path below the workspace, with `/`. Names are data: an agent chose them. */
  readonly path: string
  /** The kind, as it is now; of a deleted one as the source has it. A `folder` is one that is not looked into, such as `node_modules`. */
  readonly kind: WorkspaceEntryKind
  /** The difference. */
  readonly status: 'added' | 'modified' | 'deleted'
  /** The number of lines that the source does not have; null = not counted: no text, or too large. */
  readonly additions: number | null
  /** The number of lines of the source that are gone; null = not counted. */
  readonly deletions: number | null
  /** True where the file, or its source, is no text. */
  readonly is_binary: boolean
}

/** The workspaces that a caller may ask for with a new session. */
export interface WorkspaceOffer {
  /** The ways in which a session has files: on a branch or in a copy (`write`), or in the folder itself (`in_place`). None: no workspaces here. */
  readonly modes: readonly ('write' | 'in_place')[]
  /** Folders that the caller may name; those below them, too. */
  readonly sources: readonly string[]
  /** True where the caller may name any folder that the server's user can read. */
  readonly any_source: boolean
}

/** The workspace of a session, and its files that differ from the source. */
export interface WorkspaceReport {
  /** The id of the workspace; null = none was prepared. */
  readonly workspace_id: string | null
  /** The access to the workspace: `none`, `read` or `write`. */
  readonly mode: string
  /** The beginning of the workspace: a worktree of the source's repository, a copy of the source, an empty folder, or the source itself; null = not known. */
  readonly kind: 'git_worktree' | 'copy' | 'empty' | 'in_place' | null
  /** The folder that the workspace began with; null = it began empty. */
  readonly source: string | null
  /** True where the files can be listed and read here. */
  readonly is_available: boolean
  /** True where the files were compared with the source. False: `changes` is empty and says nothing. */
  readonly is_compared: boolean
  /** The reason why there are no files, or why they were not compared. */
  readonly reason?: string
  /** The differences, by path. */
  readonly changes: readonly WorkspaceChange[]
  /** True where there may be more differences than these. */
  readonly truncated: boolean
}

/** An entry of a folder in a workspace. */
export interface WorkspaceEntry {
  /** The name. An agent chose it. */
  readonly name: string
  /** The kind. */
  readonly kind: WorkspaceEntryKind
  /** The length in bytes; null for anything but a file. */
  readonly size: number | null
  /** The time of the last change, in ISO 8601; null = not known. */
  readonly modified: string | null
}

/** The entries of one folder in a workspace. */
export interface WorkspaceFolder {
  /** The path below the workspace; empty = the workspace itself. */
  readonly path: string
  /** The entries: folders first, then by name. */
  readonly entries: readonly WorkspaceEntry[]
  /** True where the folder has more entries. */
  readonly truncated: boolean
}

/** A file of a workspace, or a link, whose text is its target. */
export interface WorkspaceFile {
  /** The path below the workspace. */
  readonly path: string
  /** `current`: as it is now. `source`: as the workspace began. */
  readonly version: 'current' | 'source'
  /** The kind. */
  readonly kind: 'file' | 'link'
  /** The length in bytes. */
  readonly size: number
  /** True where the content is no text. */
  readonly is_binary: boolean
  /** The text, at most 1 MB of it; null = no text, or the server kept no content of the source. */
  readonly text: string | null
  /** True where the file has more text than this. */
  readonly truncated: boolean
}
