/** A content file that is open for writing. */
export interface ContentFile {
  writev(pieces: Buffer[], position: number): Promise<{readonly bytesWritten: number}>
  write(
    bytes: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{readonly bytesWritten: number}>
  stat(): Promise<{readonly size: number}>
  truncate(size: number): Promise<void>
  datasync(): Promise<void>
  close(): Promise<void>
}
