//! `/v1/sessions/{id}/uploads` and `/downloads`: the files of a session.
//!
//! Who has no API key shows a token that was made for files, as `?token=`.

use std::collections::HashMap;
use std::io;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::multipart::MultipartError;
use axum::extract::{FromRequest as _, FromRequestParts, Multipart, Request, State};
use axum::http::header::{ACCEPT, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use futures_util::{Stream, StreamExt as _};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

use super::Shared;
use super::extract::{Path, Query};
use super::failure::Failure;
use super::guard::Owner;
use super::sessions::time;
use crate::files::{FILE_LIMIT, FileEntry, SessionFiles, Upload, UploadError, zip};
use crate::token::Purpose;

/// The member of a form that holds the file.
const FIELD: &str = "file";

/// Bytes that a form may have around a file.
const AROUND: u64 = 64 * 1024;

/// Bytes of a file that are answered at a time.
const CHUNK: usize = 64 * 1024;

/// A session whose files the request may see.
pub(super) struct Granted {
    session: String,
    /// The name of the file that it is about, if it is about one.
    file: Option<String>,
}

#[derive(Deserialize)]
struct Bearer {
    token: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct UploadQuery {
    name: Option<String>,
}

impl FromRequestParts<Shared> for Granted {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, Failure> {
        let Path(mut names) = Path::<HashMap<String, String>>::from_request_parts(parts, shared).await?;
        let Query(Bearer { token }) = Query::from_request_parts(parts, shared).await?;
        let session = names.remove("id").unwrap_or_default();
        match token {
            Some(token) => {
                let platform = &shared.platform;
                platform.check_token(&token, &session, Purpose::Files).await?;
            }
            None => {
                let Owner(owner) = Owner::from_request_parts(parts, shared).await?;
                shared.platform.session(&owner, &session).await?;
            }
        }
        Ok(Self {
            session,
            file: names.remove("name"),
        })
    }
}

/// Takes a file: the member `file` of a form, or the body itself under the name in the query.
pub(super) async fn upload(
    State(shared): State<Shared>,
    granted: Granted,
    Query(query): Query<UploadQuery>,
    request: Request,
) -> Result<Json<Value>, Failure> {
    let files = shared.platform.running_files(&granted.session)?;
    // Told before it comes, where that is known: who waits for it then does not send it in vain.
    let length = request.headers().get(CONTENT_LENGTH);
    let length: Option<u64> = length.and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length| length > FILE_LIMIT + AROUND) {
        return Err(UploadError::FileTooLarge.into());
    }
    let kind = request.headers().get(CONTENT_TYPE);
    let is_form = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"multipart/"));
    let taken = if is_form {
        take_form(&files, request, query.name.as_deref()).await?
    } else {
        let name = query.name.ok_or_else(|| {
            Failure::bad_request(
                "name: say in the query what the file is called, or send a form with the member `file`",
            )
        })?;
        let upload = files.begin_upload(&name).await?;
        let chunks = request.into_body().into_data_stream();
        let upload = take(upload, chunks.map(|chunk| chunk.map_err(|error| broken(&error)))).await?;
        upload.complete().await?
    };
    let mut answer = shown(&taken);
    answer["message"] = "the file is there; its name can be given to file inputs".into();
    Ok(Json(answer))
}

async fn take_form(files: &SessionFiles, request: Request, name: Option<&str>) -> Result<FileEntry, Failure> {
    let unreadable = |error: MultipartError| broken(&error);
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|_| Failure::bad_request("the form cannot be read: `content-type` names no `boundary`"))?;
    let mut taken = None;
    while let Some(field) = form.next_field().await.map_err(unreadable)? {
        if field.name() != Some(FIELD) {
            continue;
        }
        if taken.is_some() {
            let message = format!("the form has the member `{FIELD}` twice; send the files one by one");
            return Err(Failure::bad_request(message));
        }
        let name = name.or(field.file_name()).unwrap_or_default().to_owned();
        let upload = files.begin_upload(&name).await?;
        let chunks = field.map(|chunk| chunk.map_err(|error| broken(&error)));
        taken = Some(take(upload, chunks).await?);
    }
    let upload = taken.ok_or_else(|| Failure::bad_request(format!("the form has no member `{FIELD}`")))?;
    Ok(upload.complete().await?)
}

async fn take(
    mut upload: Upload,
    chunks: impl Stream<Item = Result<Bytes, Failure>>,
) -> Result<Upload, Failure> {
    let mut chunks = std::pin::pin!(chunks);
    while let Some(chunk) = chunks.next().await {
        upload.write(&chunk?).await?;
    }
    Ok(upload)
}

fn broken(error: &dyn std::error::Error) -> Failure {
    tracing::debug!(%error, "an upload broke off");
    Failure::bad_request("the file did not come in whole")
}

/// The files that were uploaded.
pub(super) async fn uploads(State(shared): State<Shared>, granted: Granted) -> Result<Json<Value>, Failure> {
    let files = shared.platform.running_files(&granted.session)?;
    let files = files.list(SessionFiles::UPLOADS).await?;
    Ok(Json(files.iter().map(shown).collect()))
}

/// The files that were downloaded: as one zip file, or as a list for who accepts JSON.
pub(super) async fn downloads(
    State(shared): State<Shared>,
    granted: Granted,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let files = shared.platform.files(&granted.session).await?;
    let list = files.list(SessionFiles::DOWNLOADS).await?;
    let accepts = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    if accepts.is_some_and(|accept| accept.contains("application/json")) {
        return Ok(Json(list.iter().map(shown).collect::<Value>()).into_response());
    }
    let writing = tokio::task::spawn_blocking(move || zip(&files, SessionFiles::DOWNLOADS, &list));
    let file = writing.await.map_err(io::Error::other)??;
    let name = format!("{}.zip", granted.session);
    answer_file(file, "application/zip", &name).await
}

/// One file that was downloaded.
pub(super) async fn download(State(shared): State<Shared>, granted: Granted) -> Result<Response, Failure> {
    let files = shared.platform.files(&granted.session).await?;
    let name = granted.file.unwrap_or_default();
    let path = files.file(SessionFiles::DOWNLOADS, &name);
    let path = path.ok_or_else(|| no_file(&name))?;
    let file = std::fs::File::open(path)?;
    // Not as what it is: a page of somebody else's would be shown as one of this server.
    answer_file(file, "application/octet-stream", &name).await
}

/// Removes a file that was downloaded.
pub(super) async fn remove_download(
    State(shared): State<Shared>,
    granted: Granted,
) -> Result<StatusCode, Failure> {
    let files = shared.platform.files(&granted.session).await?;
    let name = granted.file.unwrap_or_default();
    let path = files.file(SessionFiles::DOWNLOADS, &name);
    let path = path.ok_or_else(|| no_file(&name))?;
    tokio::fs::remove_file(path).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn no_file(name: &str) -> Failure {
    let message = format!("the session has no download `{name}` that is complete");
    Failure::new(StatusCode::NOT_FOUND, message)
}

async fn answer_file(file: std::fs::File, kind: &str, name: &str) -> Result<Response, Failure> {
    let file = tokio::fs::File::from_std(file);
    let length = file.metadata().await?.len();
    let chunks = futures_util::stream::try_unfold(file, async |mut file| {
        let mut chunk = Vec::with_capacity(CHUNK);
        let length = file.read_buf(&mut chunk).await?;
        io::Result::Ok((length > 0).then_some((Bytes::from(chunk), file)))
    });
    let headers = [
        (CONTENT_TYPE, kind.to_owned()),
        (CONTENT_LENGTH, length.to_string()),
        (
            CONTENT_DISPOSITION,
            format!("attachment; filename*=UTF-8''{}", encoded(name)),
        ),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    Ok((headers, Body::from_stream(chunks)).into_response())
}

/// A name in a header: whatever is no letter or digit of ASCII in hexadecimal.
fn encoded(name: &str) -> String {
    let encode = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() || b".-_".contains(&byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    name.bytes().map(encode).collect()
}

fn shown(file: &FileEntry) -> Value {
    json!({ "name": file.name, "size": file.size, "createdAt": time(file.changed_at) })
}

impl From<UploadError> for Failure {
    fn from(error: UploadError) -> Self {
        match error {
            UploadError::FileTooLarge | UploadError::SessionTooLarge => {
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, error.to_string())
            }
            UploadError::Io(error) => error.into(),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let status = match error.kind() {
            io::ErrorKind::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
            // It has gone since it was looked for.
            io::ErrorKind::NotFound => StatusCode::NOT_FOUND,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(
            status,
            format!("the files of the session cannot be used: {error}"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_headers_are_ascii() {
        assert_eq!(encoded("a-1.txt"), "a-1.txt");
        assert_eq!(encoded("ä \"b\r\n"), "%C3%A4%20%22b%0D%0A");
    }
}
