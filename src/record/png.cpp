#include "catena/record/png.h"

#include <cairo-pdf.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <memory>
#include <stdexcept>

namespace catena {
namespace {

struct Release {
  void operator()(RsvgHandle* handle) const { g_object_unref(handle); }
  void operator()(GError* error) const { g_error_free(error); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
template <class T>
using Owned = std::unique_ptr<T, Release>;

[[noreturn]] void fail(GError* error) {
  const Owned<GError> owned(error);
  throw std::runtime_error(owned ? owned->message : "the picture cannot be drawn");
}

cairo_status_t append(void* to, const unsigned char* bytes, unsigned int count) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

struct Picture {
  Owned<RsvgHandle> handle;
  double width = 0, height = 0;  // px
};

Picture picture_of(const std::string& svg) {
  GError* error = nullptr;
  Picture out{
      Owned<RsvgHandle>(rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error))};
  if (!out.handle) fail(error);
  if (rsvg_handle_get_intrinsic_size_in_pixels(out.handle.get(), &out.width, &out.height) == FALSE)
    throw std::runtime_error("the picture has no size");
  return out;
}

void draw(const Picture& picture, double scale, cairo_surface_t* surface) {
  const RsvgRectangle whole{0, 0, picture.width * scale, picture.height * scale};
  const Owned<cairo_t> context(cairo_create(surface));
  cairo_set_source_rgb(context.get(), 1, 1, 1);
  cairo_paint(context.get());
  GError* error = nullptr;
  if (rsvg_handle_render_document(picture.handle.get(), context.get(), &whole, &error) == FALSE) fail(error);
}

}  // namespace

std::string svg_to_png(const std::string& svg, double scale) {
  const Picture picture = picture_of(svg);
  const Owned<cairo_surface_t> surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                                                  static_cast<int>(std::ceil(picture.width * scale)),
                                                                  static_cast<int>(std::ceil(picture.height * scale))));
  draw(picture, scale, surface.get());
  std::string png;
  if (cairo_surface_write_to_png_stream(surface.get(), append, &png) != CAIRO_STATUS_SUCCESS)
    throw std::runtime_error("the picture is too large");
  return png;
}

std::string svg_to_pdf(const std::string& svg) {
  constexpr double kPoint = 72.0 / 96;  // of a pixel
  const Picture picture = picture_of(svg);
  std::string pdf;
  {
    const Owned<cairo_surface_t> surface(
        cairo_pdf_surface_create_for_stream(append, &pdf, picture.width * kPoint, picture.height * kPoint));
    draw(picture, kPoint, surface.get());
    cairo_surface_finish(surface.get());
    if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS)
      throw std::runtime_error("the document cannot be written");
  }
  return pdf;
}

}  // namespace catena
