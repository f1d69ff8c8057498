// The page of a replay before a file is open.
import { visibleText } from '../ui/plain-text.ts'
import { FileDrop } from './file-drop.tsx'

interface FilePickerProps {
  /** The file that could not be read, and why. */
  readonly problem: { readonly name: string; readonly problem: string } | null
}

export const FilePicker = ({ problem }: FilePickerProps) => (
  <div className="center">
    <FileDrop label="Export file to replay" icon="history" button="Choose a file" isPrimary>
      <h2>Replay an export</h2>
      <p>
        Drop a file here that <code>bridle export</code> or <code>GET /sessions/:id/export</code> wrote. This browser
        reads it, and nothing is sent to a server.
      </p>
      {problem && (
        <p className="danger" role="alert">
          <b>{visibleText(problem.name)}</b> cannot be shown. {visibleText(problem.problem)}
        </p>
      )}
    </FileDrop>
  </div>
)
