// Folders that a copy of a source is made without: programs make them again from the other files, and a fresh clone of a repository does
// not have them either. Only names that mean nothing else: `build`, `dist`, `out` and `target` are also names of sources.

const REBUILT_FOLDERS: ReadonlySet<string> = new Set([
  // Installed packages. Those of Python name their own path, and would not work elsewhere.
  ...['node_modules', '.venv', '.tox', '.nox'],
  // Caches and results of tools.
  ...['__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.cache', '.parcel-cache', '.turbo', '.gradle'],
  ...['.next', '.nuxt', '.svelte-kit', '.wrangler', '.terraform', '.pnpm-store'],
  // Repositories of other programs than git.
  ...['.hg', '.svn', '.jj'],
])

/** A file of such a name is somebody's file; a link leads to such a folder elsewhere, which a sandbox does not see. */
export const isRebuiltFolder = ({
  name,
  kind,
}: {
  readonly name: string
  readonly kind: 'folder' | 'file' | 'link'
}): boolean => kind !== 'file' && REBUILT_FOLDERS.has(name)
