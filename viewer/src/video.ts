// A film of the scene while it plays, made by the browser: MP4 where it can write that, else WebM.
const kinds = [['video/mp4;codecs=avc1.42E01F', 'mp4'], ['video/webm;codecs=vp9', 'webm'], ['video/webm', 'webm']] as const;

export class Video {
  private recorder: MediaRecorder | null = null;

  get recording(): boolean {
    return this.recorder !== null;
  }

  // Films until `stop`, then hands over the file and how its name ends. False where the browser cannot.
  start(canvas: HTMLCanvasElement, save: (file: Blob, ending: string) => void): boolean {
    if (typeof MediaRecorder === 'undefined') return false;
    const kind = kinds.find(([type]) => MediaRecorder.isTypeSupported(type));
    if (!kind) return false;
    const chunks: Blob[] = [];
    const recorder = new MediaRecorder(canvas.captureStream(30), {mimeType: kind[0], videoBitsPerSecond: 8e6});
    recorder.ondataavailable = ({data}) => chunks.push(data);
    recorder.onstop = () => {
      for (const track of recorder.stream.getTracks()) track.stop();
      save(new Blob(chunks, {type: kind[0]}), kind[1]);
    };
    recorder.start(1000);
    this.recorder = recorder;
    return true;
  }

  // The last picture stays for half a second, in which the encoder catches up.
  stop(): void {
    const {recorder} = this;
    this.recorder = null;
    window.setTimeout(() => recorder?.stop(), 500);
  }
}
