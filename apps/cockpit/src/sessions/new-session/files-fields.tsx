// The files that a new session works with: none, an empty folder, or one that the server allows, apart from it or in it.
import type { WorkspaceOffer } from 'bridle/client'
import { visibleText } from '../../ui/plain-text.ts'
import type { FilesChoice } from './files-choice.ts'

interface FilesFieldsProps {
  readonly offer: WorkspaceOffer
  readonly files: FilesChoice
  readonly onChange: (files: FilesChoice) => void
}

const OTHER = '\n'

export const FilesFields = ({ offer, files, onChange }: FilesFieldsProps) => {
  const { folder, isOther } = files
  const hasFolder = isOther || (folder !== null && folder !== '')
  const choose = (value: string): void =>
    onChange({ ...files, isOther: value === OTHER, folder: value === OTHER ? '' : value === 'none' ? null : value })
  return (
    <>
      <label className="col">
        <span className="small t2">Files</span>
        <select
          className="field"
          value={isOther ? OTHER : (folder ?? 'none')}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="none">none</option>
          <option value="">an empty folder</option>
          {offer.sources.map((source) => (
            <option key={source} value={source}>
              {visibleText(source)}
            </option>
          ))}
          {offer.any_source && <option value={OTHER}>another folder…</option>}
        </select>
      </label>
      {isOther && (
        <label className="col">
          <span className="small t2">Folder on the server</span>
          <input
            className="field"
            required
            placeholder="/home/me/project"
            value={folder ?? ''}
            onChange={(event) => onChange({ ...files, folder: event.target.value })}
          />
        </label>
      )}
      {hasFolder && offer.modes.includes('in_place') && (
        <label className="col">
          <span className="small t2">Changes are made</span>
          <select
            className="field"
            value={files.mode}
            onChange={(event) => onChange({ ...files, mode: event.target.value as FilesChoice['mode'] })}
          >
            <option value="write">on a branch or in a copy</option>
            <option value="in_place">in the folder itself</option>
          </select>
        </label>
      )}
    </>
  )
}
