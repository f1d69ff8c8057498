// The page of an import: what a file is, what it asks, what becomes of it here, and the two ways on. A file may be a stranger's claim, so
// its prompts are read before anything is stored.
import { useSyncExternalStore } from 'react'
import { Link } from 'wouter'
import { FileDrop } from '../replay/file-drop.tsx'
import { replayFile, subscribeReplayFile } from '../replay/replay-file.ts'
import { TopBar } from '../shell/top-bar.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { ScrollBox } from '../ui/scroll-box.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { ImportFile } from './import-file.tsx'
import './import.css'

const ImportPage = () => {
  const file = useSyncExternalStore(subscribeReplayFile, replayFile)
  return (
    <>
      <TopBar>
        <Link className="no-phone" href="/">
          Sessions
        </Link>
        <span className="sep no-phone">/</span>
        <h1 className="trunc">Import a session</h1>
      </TopBar>
      <ScrollBox label="Import" className="page">
        {file.type === 'open' ? (
          <ImportFile key={`${file.content.digest} ${file.name}`} open={file} />
        ) : file.type === 'reading' ? (
          <Skeleton />
        ) : (
          <div className="center">
            <FileDrop label="Export file to import" icon="upload" button="Choose a file" isPrimary>
              <h2>Import a session</h2>
              <p>
                Drop a file here that <code>bridle export</code> or <code>GET /sessions/:id/export</code> wrote. You see
                what is in it before anything is stored.
              </p>
              {file.type === 'wrong' && (
                <p className="danger" role="alert">
                  <b>{visibleText(file.name)}</b> cannot be imported. {visibleText(file.problem)}
                </p>
              )}
            </FileDrop>
          </div>
        )}
      </ScrollBox>
    </>
  )
}

export default ImportPage
